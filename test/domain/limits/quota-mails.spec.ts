import { expect } from 'chai';
import { type AccountId, openAccount } from '../../../src/domain/accounts/account.js';
import type { EmailAddress } from '../../../src/domain/accounts/email-address.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import {
  isNewLevel,
  type QuotaReached,
  quotaNotice,
  quotaReached,
  withQuotaMails,
} from '../../../src/domain/limits/quota-mails.js';
import type { Limit } from '../../../src/domain/limits/rate-limit.js';
import { DAY, epochSeconds, plus, SECOND, startOfDay } from '../../../src/domain/moment.js';
import { auditContext, NOON } from '../../support/objects/builders.js';

const MIDNIGHT = plus(startOfDay(NOON), DAY);
const ENDS_AT = epochSeconds(MIDNIGHT);
const limit = (name: string, quota: number, remaining: number): Limit => ({
  policy: { name, quota, seconds: name === 'day' ? DAY / SECOND : 60 },
  ...{ endsAt: ENDS_AT, secondsLeft: 43_200, remaining },
});
const identity = {
  ...{ id: 'acc_1' as AccountId, subscriptionId: 'sub_1' as SubscriptionId },
  ...{ email: 'owner@example.org' as EmailAddress, plan: 'free' as const, processorCustomerId: null },
};
const account = openAccount(identity, auditContext()).next;
const half: QuotaReached = { level: 80, quota: 1_000, endsAt: ENDS_AT };
const all: QuotaReached = { ...half, level: 100 };

describe('Mails about the quota of a day', () => {
  it('are due when 80 percent are used, and when all are', () => {
    const levels = [1_000, 201, 200, 199, 1, 0].map(
      (remaining) => quotaReached([limit('minute', 10, 0), limit('day', 1_000, remaining)])?.level ?? null,
    );
    expect(levels).to.deep.equal([null, null, 80, 80, 80, 100]);
  });

  it('are due for the day only', () => {
    expect(quotaReached([limit('minute', 10, 0), limit('anonymous', 10, 0)])).to.equal(null);
    expect(quotaReached([])).to.equal(null);
  });

  it('are due once for each level and day', () => {
    expect(isNewLevel(undefined, half)).to.equal(true);
    expect(isNewLevel(half, half)).to.equal(false);
    expect(isNewLevel(half, all)).to.equal(true);
    expect(isNewLevel(all, half)).to.equal(false);
    expect(isNewLevel(all, { ...half, endsAt: ENDS_AT + 86_400 })).to.equal(true);
  });

  it('have one occasion for each level and day, and state when the quota is reset', () => {
    expect(quotaNotice(account, half)).to.deep.equal({
      to: 'owner@example.org',
      occasion: `quota_used/80/${MIDNIGHT}`,
      news: { kind: 'quota_used', level: 80, quota: 1_000, plan: 'free', resetsAt: MIDNIGHT },
    });
    expect(quotaNotice(account, all)?.occasion).to.equal(`quota_used/100/${MIDNIGHT}`);
  });

  it('are none for an owner who switched them off, and none for a deleted account', () => {
    const off = withQuotaMails(account, false);
    expect(quotaNotice(off, all)).to.equal(null);
    expect(quotaNotice(withQuotaMails(off, true), all)).to.deep.equal(quotaNotice(account, all));
    expect(withQuotaMails(off, true)).to.deep.equal(account);
    expect(quotaNotice({ ...account, email: 'deleted-acc_1' }, all)).to.equal(null);
  });
});
