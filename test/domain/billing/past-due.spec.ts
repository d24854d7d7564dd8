import { expect } from 'chai';
import { applyDue, nextDue } from '../../../src/domain/accounts/account-due.js';
import { applyAnswers, withPaymentEvents } from '../../../src/domain/billing/account-payments.js';
import { DUNNING, overdueOf } from '../../../src/domain/billing/dunning.js';
import { unexplainedDeadline } from '../../../src/domain/billing/past-due.js';
import {
  mergeEvent,
  NO_PAYMENT_FACTS,
  type PaymentEvent,
  pastDueTimes,
} from '../../../src/domain/billing/payment-event.js';
import { openQuestions } from '../../../src/domain/billing/processor-questions.js';
import { HOUR, MICROSECOND, type Moment, plus } from '../../../src/domain/moment.js';
import {
  ALONE,
  ASKING,
  accountWithKey,
  afterEvents,
  causesOfAccount,
  processor,
} from '../../support/objects/account-payments.js';
import { day, failed, paid, settledAs, subscriptionEvent } from '../../support/objects/payment-events.js';

const pastDue = (days: number) => subscriptionEvent(days, 'past_due');
const factsOf = (list: readonly PaymentEvent[]) => list.reduce(mergeEvent, NO_PAYMENT_FACTS);

/** D28: what no known invoice explains has its 14 days too. */
describe('A subscription that is past due without a known failed invoice', () => {
  // biome-ignore format: a table is read by its columns
  const CASES: readonly (readonly [title: string, list: readonly PaymentEvent[], deadline: Moment | null])[] = [
    ['has 14 days from its event',                                   [pastDue(0)],                                             day(14)],
    ['has 14 days from the first of several events',                 [pastDue(0), pastDue(3), pastDue(9)],                     day(14)],
    ['starts again after it was active',                             [pastDue(0), subscriptionEvent(2, 'active'), pastDue(5)], day(19)],
    ['has 14 days if its first invoice failed',                      [pastDue(0), failed(0, 1, { isFirstInvoice: true })],     day(14)],
    ['has 14 days if the invoice was written off only',              [pastDue(0), settledAs(1, 'uncollectible')],              day(14)],
    ['is explained by an invoice that failed with it',               [pastDue(0), failed(0, 1)],                               null],
    ['is explained by an invoice that failed before the deadline',   [pastDue(0), failed(13, 1)],                              null],
    ['is not explained by an invoice that failed after the deadline', [pastDue(0), failed(15, 1)],                             day(14)],
    ['is explained by a payment that came after it',                 [pastDue(0), paid(1)],                                    null],
    ['has 14 days from the first event after a payment',             [pastDue(0), paid(1), pastDue(4), pastDue(5)],            day(18)],
    ['owes nothing once it is active',                               [pastDue(0), subscriptionEvent(2, 'active')],             null],
  ];
  for (const [title, list, deadline] of CASES) {
    it(title, () => {
      for (const order of [list, list.toReversed(), [...list, ...list]])
        expect(overdueOf(factsOf(order), 'sub_1', DUNNING)?.deadline ?? null).to.equal(deadline);
    });
  }

  it('is one that is known', () => {
    expect(unexplainedDeadline(factsOf([pastDue(0)]), 'sub_2', [], DUNNING)).to.equal(null);
  });

  it('is served for 14 days, and then suspended as of this time; the next active state restores it', () => {
    const running = afterEvents(accountWithKey(), [subscriptionEvent(0, 'active'), pastDue(1)], day(2));
    expect([running.subscription.state, running.dunning, nextDue(running)]).to.deep.equal([
      'active',
      [],
      day(15),
    ]);
    expect(causesOfAccount(applyDue(running, plus(day(15), -MICROSECOND)).next)).to.deep.equal([]);
    const over = applyDue(running, day(40));
    expect(causesOfAccount(over.next)).to.deep.equal(['payment_failure']);
    expect(over.entries.map(({ event, at }) => [event, at])).to.deep.equal([['payment_failed', day(15)]]);
    const restored = withPaymentEvents(
      over.next,
      [subscriptionEvent(41, 'active')],
      ALONE,
      processor(day(41)),
    );
    expect(causesOfAccount(restored.next)).to.deep.equal([]);
  });

  it('is not restored by a payment that fails after its suspension', () => {
    const over = afterEvents(accountWithKey(), [pastDue(0), failed(15, 1)], day(16));
    expect(causesOfAccount(over)).to.deep.equal(['payment_failure']);
  });

  it('is asked about at the deadline, and served for a day more while the processor is unreachable', () => {
    const running = afterEvents(accountWithKey(), [pastDue(0)], day(1), ASKING);
    expect(nextDue(running)).to.equal(day(14));
    const now = plus(day(14), HOUR);
    expect(openQuestions(running, now)).to.deep.equal({ invoices: [], subscriptions: ['sub_1'] });
    const asked = (...answers: readonly PaymentEvent[]) =>
      applyAnswers(running, answers, ASKING, processor(now)).next;
    expect(causesOfAccount(asked())).to.deep.equal([]);
    expect(causesOfAccount(applyDue(asked(), day(15)).next)).to.deep.equal(['payment_failure']);
    const answer = (status: 'past_due' | 'active') => ({ ...subscriptionEvent(14, status), at: now });
    expect(causesOfAccount(asked(answer('past_due')))).to.deep.equal(['payment_failure']);
    const paidNow = asked(answer('active'));
    expect([causesOfAccount(paidNow), nextDue(paidNow)]).to.deep.equal([[], null]);
  });

  it('of which only the status is stored, as by version 0.2.0, has 14 days from the time of the status', () => {
    const stored = factsOf([pastDue(2)]).subscriptions['sub_1'];
    if (stored === undefined) throw new Error('no facts');
    expect(stored).not.to.have.property('pastDue');
    expect(pastDueTimes(stored)).to.deep.equal({ at: [day(2)], otherAt: null });
  });
});
