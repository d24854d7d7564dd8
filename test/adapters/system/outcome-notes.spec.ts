import { expect } from 'chai';
import type { Logger } from 'pino';
import { Metrics } from '../../../src/adapters/system/metrics/metrics.js';
import { noteReceipt } from '../../../src/adapters/system/outcome-notes.js';
import type { EventState, ReceivedEvent } from '../../../src/application/ports/billing/payment-inbox.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { paid, subscriptionEvent } from '../../support/objects/payment-events.js';

describe('The note of a payment event', () => {
  const event: ReceivedEvent = {
    ...{ id: 'evt', type: 'invoice.paid', customer: 'cus', link: null, fault: null },
    ...{ at: paid(0).at, fact: paid(0).fact, payload: Buffer.from('{}') },
  };
  const linesFor = (
    state: EventState,
    fact: ReceivedEvent['fact'],
    link: ReceivedEvent['link'] = null,
    more: Partial<ReceivedEvent> = {},
  ) => {
    const lines: string[] = [];
    const add = (level: string) => (fields: object, text: string) =>
      lines.push(`${level} ${JSON.stringify(fields)} ${text}`);
    const log = { error: add('error'), warn: add('warn') };
    const note = noteReceipt({ metrics: new Metrics(), log: log as unknown as Logger });
    note({ state, account: null }, { ...event, fact, link, ...more });
    return lines.join();
  };

  it('is an error if the event failed, or if it is a fact about a deleted account, or a checkout that names one', () => {
    expect(linesFor('failed', event.fact)).to.match(/^error .*"event":"evt".*could not be applied/);
    expect(linesFor('ignored', event.fact)).to.include('"event":"evt"').and.include('deleted account');
    const checkout = { account: 'acc_1' as AccountId, refusal: null };
    expect(linesFor('ignored', null, checkout)).to.include('deleted account');
  });

  it('is a warning if the price of a subscription names no plan (D27)', () => {
    const { fact } = subscriptionEvent(0, 'active');
    expect(linesFor('applied', fact))
      .to.match(/^warn /)
      .and.include('"subscription":"sub_1"');
    expect(linesFor('applied', fact)).to.include('names no plan');
  });

  it('is a warning with the reason of an event that changes nothing, also if it has a fact', () => {
    const line = linesFor('ignored', event.fact, null, { notUsed: 'the reason' });
    expect(line).to.equal('warn {"event":"evt","type":"invoice.paid"} the reason');
  });

  it('is no line for any other event', () => {
    expect(linesFor('applied', subscriptionEvent(0, 'active', { plan: 'pro' }).fact)).to.equal('');
    expect(linesFor('ignored', null)).to.equal('');
    expect([linesFor('applied', event.fact), linesFor('waiting', event.fact)]).to.deep.equal(['', '']);
  });
});
