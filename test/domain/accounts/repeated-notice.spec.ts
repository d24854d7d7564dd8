import { expect } from 'chai';
import { noticesOf } from '../../../src/domain/accounts/notice.js';
import {
  hasPaymentNotice,
  repeatedNotices,
  repeatPaymentNotice,
} from '../../../src/domain/accounts/repeated-notice.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import { refuse } from '../../../src/domain/refusal.js';
import { accountWithKey, afterEvents } from '../../support/objects/account-payments.js';
import { accepted, auditContext, NOON } from '../../support/objects/builders.js';
import { day, failed, subscriptionEvent } from '../../support/objects/payment-events.js';

describe('The notices about payments', () => {
  const failing = (until: number) =>
    afterEvents(accountWithKey(), [subscriptionEvent(0, 'past_due'), failed(0, 1)], day(until));
  const repeated = (until: number) => {
    const account = failing(until);
    const context = { ...auditContext(day(until)), reason: 'they lost it' };
    return { account, change: accepted(repeatPaymentNotice(account, context)) };
  };

  it('are sent again for each open invoice, as an occasion of their own, and change nothing else (D102)', () => {
    const { account, change } = repeated(1);
    expect(change.next).to.equal(account);
    expect(change.entries.map(({ event, reason }) => [event, reason])).to.deep.equal([
      ['payment_notice_repeated', 'they lost it'],
    ]);
    const notices = noticesOf(account, change);
    expect(notices.map(({ occasion, news }) => [occasion, news.kind])).to.deep.equal([
      [`payment_failed/in_1/again/${day(1).slice(0, 15)}`, 'payment_failed'],
    ]);
    const later = repeatedNotices(
      account,
      change.entries.map((entry) => ({ ...entry, at: plus(entry.at, DAY) })),
    );
    expect(later[0]?.occasion).not.to.equal(notices[0]?.occasion);
  });

  it('say that requests are refused, once they are', () => {
    const { account, change } = repeated(15);
    const [notice, ...others] = noticesOf(account, change);
    expect(notice?.occasion).to.equal(`suspended/again/${day(15).slice(0, 15)}`);
    expect([notice?.news, others]).to.deep.equal([
      { kind: 'suspended', causes: ['payment_failure'], state: 'active' },
      [],
    ]);
  });

  it('cannot be sent again without an open invoice', () => {
    const paying = accountWithKey();
    expect(hasPaymentNotice(paying)).to.equal(false);
    expect(repeatPaymentNotice(paying, auditContext(NOON))).to.deep.equal(refuse('changed_meanwhile'));
    expect(repeatedNotices(failing(1), [])).to.deep.equal([]);
  });
});
