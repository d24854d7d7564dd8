import { expect } from 'chai';
import type { Account } from '../../../src/domain/accounts/account.js';
import { applyDue, nextDue } from '../../../src/domain/accounts/account-due.js';
import { applyAnswers, withPaymentEvents } from '../../../src/domain/billing/account-payments.js';
import type { PaymentEvent } from '../../../src/domain/billing/payment-event.js';
import { openQuestions } from '../../../src/domain/billing/processor-questions.js';
import { HOUR, MICROSECOND, MINUTE, type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import {
  ALONE,
  ASKING,
  accountWithKey,
  afterEvents,
  causesOfAccount,
  eventsOf,
  processor,
} from '../../support/objects/account-payments.js';
import {
  account,
  auditContext,
  countedState,
  issued,
  keyNamed,
  NOON,
  rotated,
  suspendedBy,
  used,
} from '../../support/objects/builders.js';
import { day, failed, paid, stillOpen, subscriptionEvent } from '../../support/objects/payment-events.js';

describe('An account in dunning (D28)', () => {
  const retries = [failed(0, 1), failed(1, 2), failed(4, 3), failed(8, 4)];

  it('is served until the fourth retry has failed, and then suspended', () => {
    const running = afterEvents(accountWithKey(), [subscriptionEvent(0, 'past_due'), ...retries], day(11));
    expect([running.subscription.state, causesOfAccount(running)]).to.deep.equal(['active', []]);
    expect(running.dunning[0]).to.include({ id: 'in_1', failedRetries: 3 });
    const over = afterEvents(running, [failed(12, 5)], day(12));
    expect([causesOfAccount(over), countedState(over, 'k1').status]).to.deep.equal([
      ['payment_failure'],
      'suspended',
    ]);
  });

  it('is suspended by the last retry as it arrives, although the clock of the processor is ahead', () => {
    const running = afterEvents(accountWithKey(), [subscriptionEvent(0, 'past_due'), ...retries], day(11));
    for (const seconds of [2, 240]) {
      const now = plus(day(12), -seconds * SECOND);
      const { next, entries } = withPaymentEvents(running, [failed(12, 5)], ALONE, processor(now));
      expect(causesOfAccount(next)).to.deep.equal(['payment_failure']);
      expect(entries.find(({ event: what }) => what === 'payment_failed')?.at).to.equal(now);
    }
  });

  it('is suspended as of 14 days after the first failure, however late due work runs', () => {
    const running = afterEvents(accountWithKey(), [subscriptionEvent(0, 'past_due'), ...retries], day(13));
    expect(nextDue(running)).to.equal(day(14));
    expect(causesOfAccount(applyDue(running, plus(day(14), -MICROSECOND)).next)).to.deep.equal([]);
    const { next, entries } = applyDue(running, day(40));
    expect(causesOfAccount(next)).to.deep.equal(['payment_failure']);
    expect(entries.map(({ event: what, at }) => [what, at])).to.deep.equal([['payment_failed', day(14)]]);
    expect(nextDue(next)).to.equal(null);
  });

  it('is restored with its key when every open invoice is paid, not before (D20)', () => {
    const two = [
      subscriptionEvent(0, 'past_due'),
      ...retries,
      failed(12, 5),
      failed(13, 1, { invoice: 'in_2' }),
    ];
    const suspended = afterEvents(accountWithKey(), two, day(14));
    const half = afterEvents(suspended, [paid(15)], day(15));
    expect(causesOfAccount(half)).to.deep.equal(['payment_failure']);
    const whole = afterEvents(half, [paid(16, 'in_2')], day(16));
    expect([causesOfAccount(whole), countedState(whole, 'k1'), whole.dunning]).to.deep.equal([
      [],
      { status: 'active' },
      [],
    ]);
  });

  it('was paid in time in the second in which the last retry failed, not in the next one', () => {
    const owing = [
      subscriptionEvent(0, 'past_due'),
      ...retries,
      failed(12, 5),
      failed(11, 1, { invoice: 'in_2' }),
    ];
    expect(causesOfAccount(afterEvents(accountWithKey(), [...owing, paid(12)], day(13)))).to.deep.equal([]);
    expect(
      causesOfAccount(afterEvents(accountWithKey(), [...owing, paid(12 + 1 / 86_400)], day(13))),
    ).to.deep.equal(['payment_failure']);
  });

  it('starts a new dunning after a payment', () => {
    const again = afterEvents(
      accountWithKey(),
      [subscriptionEvent(0, 'past_due'), failed(0, 1), paid(2), failed(30, 1, { invoice: 'in_2' })],
      day(31),
    );
    expect([causesOfAccount(again), nextDue(again)]).to.deep.equal([[], day(44)]);
  });

  it('keeps the causes of an operator and of abuse (D20)', () => {
    const held = issued(account({ suspension: suspendedBy('manual_hold', 'abuse') }), NOON);
    const suspended = afterEvents(held, [subscriptionEvent(0, 'past_due'), failed(0, 1)], day(15));
    expect(causesOfAccount(suspended)).to.deep.equal(['payment_failure', 'abuse', 'manual_hold']);
    expect(causesOfAccount(afterEvents(suspended, [paid(16)], day(16)))).to.deep.equal([
      'abuse',
      'manual_hold',
    ]);
  });

  it('ends a running grace when dunning is exhausted (D22)', () => {
    const [changing, at] = [rotated(accountWithKey(), day(11.9), 'k1', 'k2'), plus(day(12), -MINUTE)];
    const retired = {
      ...changing,
      keys: changing.keys.map((key) =>
        key.id === keyNamed(changing, 'k1').id
          ? {
              ...key,
              state: {
                status: 'revoked' as const,
                cause: 'rotation' as const,
                revokedAt: at,
                worksUntil: plus(at, 5 * MINUTE),
                held: false,
              },
            }
          : key,
      ),
    };
    const over = afterEvents(retired, [subscriptionEvent(0, 'active'), ...retries, failed(12, 5)], day(12));
    expect(keyNamed(over, 'k1').state).to.include({ worksUntil: day(12) });
  });

  it('gets one entry for each failed attempt', () => {
    const list = [subscriptionEvent(0, 'past_due'), failed(0, 1), failed(1, 2)];
    const change = withPaymentEvents(accountWithKey(), [...list, ...list], ALONE, processor(day(2)));
    expect(change.entries.map(({ reason }) => reason)).to.deep.equal([
      'in_1: first attempt',
      'in_1: retry 1',
    ]);
  });

  it('is refused from the first failure with `PAST_DUE=refuse` (D28)', () => {
    const rules = { ...ALONE, pastDue: 'refuse' as const };
    const { state } = afterEvents(
      accountWithKey(),
      [subscriptionEvent(0, 'past_due'), failed(0, 1)],
      day(1),
      rules,
    ).subscription;
    expect(state).to.equal('unpaid');
  });
});

describe('An account whose processor can be asked (D28)', () => {
  const owing = () =>
    afterEvents(accountWithKey(), [subscriptionEvent(0, 'past_due'), failed(0, 1)], day(13), ASKING);
  const asking = (from: Account, now: Moment, ...answers: readonly PaymentEvent[]) =>
    applyAnswers(applyDue(from, now).next, answers, ASKING, auditContext(now, 'service')).next;

  it('is asked about at the deadline, not before', () => {
    expect(nextDue(owing())).to.equal(day(14));
    expect(openQuestions(owing(), plus(day(14), -MICROSECOND)).invoices).to.deep.equal([]);
    expect(openQuestions(owing(), day(14))).to.deep.equal({ invoices: ['in_1'], subscriptions: [] });
  });

  it('is asked about only for overdue invoices', () => {
    const both = afterEvents(owing(), [failed(2, 1, { invoice: 'in_2' })], day(13), ASKING);
    expect(openQuestions(both, day(14)).invoices).to.deep.equal(['in_1']);
    expect(openQuestions(both, day(16)).invoices).to.deep.equal(['in_1', 'in_2']);
  });

  it('is asked about for the last time after 24 hours, however short the interval', () => {
    const asked = asking(owing(), plus(day(15), -MINUTE));
    expect(nextDue(asked)).to.equal(day(15));
  });

  it('is suspended after what fell due before the deadline and before what fell due later, however late the question', () => {
    const late = (rotatedOn: number) => {
      const both = used(rotated(owing(), day(rotatedOn), 'k1', 'k2'), day(rotatedOn), 'k2');
      return applyAnswers(both, [stillOpen(20)], ASKING, auditContext(day(20))).next;
    };
    // The overlap ends after a day. The successor is active before the deadline, and suspended after it (D23).
    expect(keyNamed(late(12), 'k1').state).to.include({
      status: 'revoked',
      cause: 'rotation',
      revokedAt: day(13),
    });
    expect(keyNamed(late(13.5), 'k1').state.status).to.equal('active');
  });

  it('is suspended as of the deadline when the processor confirms that the invoice is open', () => {
    const now = plus(day(14), HOUR);
    const change = applyAnswers(
      applyDue(owing(), now).next,
      [stillOpen(14 + 1 / 24)],
      ASKING,
      auditContext(now),
    );
    expect(causesOfAccount(change.next)).to.deep.equal(['payment_failure']);
    expect(change.entries.map(({ event: what, at }) => [what, at])).to.deep.equal([
      ['payment_failed', day(14)],
    ]);
    const later = withPaymentEvents(
      change.next,
      [subscriptionEvent(15, 'past_due')],
      ASKING,
      processor(day(15)),
    );
    expect(causesOfAccount(later.next)).to.deep.equal(['payment_failure']);
  });

  it('is served when the processor reports a payment', () => {
    const after = asking(owing(), day(14), paid(13.5));
    expect([causesOfAccount(after), nextDue(after)]).to.deep.equal([[], null]);
  });

  it('is asked about every 5 minutes while the processor is unavailable, and suspended after 24 hours', () => {
    let current = owing();
    for (let now = day(14); now < day(15); now = plus(now, 5 * MINUTE)) {
      expect(nextDue(current)).to.equal(now);
      current = asking(current, now);
      expect(causesOfAccount(current)).to.deep.equal([]);
    }
    const { next, entries } = applyDue(current, day(16));
    expect([causesOfAccount(next), entries[0]?.at]).to.deep.equal([['payment_failure'], day(15)]);
  });

  it('is judged by the known events when no processor is configured any more', () => {
    const after = applyAnswers(owing(), [], ALONE, auditContext(day(14.5)));
    expect(causesOfAccount(after.next)).to.deep.equal(['payment_failure']);
  });

  it('is asked about when its trial ends without an event, and is incomplete after 24 hours without an answer', () => {
    const trial = afterEvents(
      accountWithKey(),
      [subscriptionEvent(0, 'trialing', { trialEndsOn: 7 })],
      day(6),
      ASKING,
    );
    expect([nextDue(trial), openQuestions(trial, day(7)).subscriptions]).to.deep.equal([day(7), ['sub_1']]);
    const asked = asking(trial, day(7));
    expect([asked.subscription.state, nextDue(asked)]).to.deep.equal(['trialing', plus(day(7), 5 * MINUTE)]);
    const unanswered = applyDue(asked, day(9));
    expect([unanswered.next.subscription.state, eventsOf(unanswered)]).to.deep.equal([
      'incomplete',
      ['trial_ended'],
    ]);
    const answered = afterEvents(unanswered.next, [subscriptionEvent(9, 'active')], day(9), ASKING);
    expect([answered.subscription.state, nextDue(answered)]).to.deep.equal(['active', null]);
  });
});
