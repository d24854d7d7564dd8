import { expect } from 'chai';
import type { Account } from '../../../src/domain/accounts/account.js';
import { nextDue, settled } from '../../../src/domain/accounts/account-due.js';
import { afterAsking, questionsOf, withPaymentEvents } from '../../../src/domain/billing/account-payments.js';
import type { PaymentEvent } from '../../../src/domain/billing/payment-event.js';
import { HOUR, MICROSECOND, MINUTE, type Moment, plus } from '../../../src/domain/moment.js';
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
} from '../../support/objects/builders.js';
import { day, failed, paid, stillOpen, subscriptionEvent } from '../../support/objects/payment-events.js';

describe('An account in dunning (D28)', () => {
  const retries = [failed(0, 1), failed(1, 2), failed(4, 3), failed(8, 4)];

  it('is served until the fourth retry has failed, and suspended then', () => {
    const running = afterEvents(accountWithKey(), [subscriptionEvent(0, 'past_due'), ...retries], day(11));
    expect([running.subscription.state, causesOfAccount(running)]).to.deep.equal(['active', []]);
    expect(running.dunning[0]).to.include({ id: 'in_1', failedRetries: 3 });
    const over = afterEvents(running, [failed(12, 5)], day(12));
    expect([causesOfAccount(over), countedState(over, 'k1').status]).to.deep.equal([
      ['payment_failure'],
      'suspended',
    ]);
  });

  it('is suspended 14 days after the first failure, as of then, however late somebody looks', () => {
    const running = afterEvents(accountWithKey(), [subscriptionEvent(0, 'past_due'), ...retries], day(13));
    expect(nextDue(running)).to.equal(day(14));
    expect(causesOfAccount(settled(running, plus(day(14), -MICROSECOND)).next)).to.deep.equal([]);
    const { next, entries } = settled(running, day(40));
    expect(causesOfAccount(next)).to.deep.equal(['payment_failure']);
    expect(entries.map(({ event: what, at }) => [what, at])).to.deep.equal([['payment_failed', day(14)]]);
    expect(nextDue(next)).to.equal(null);
  });

  it('is restored, key and all, by the payment of everything that is owed, and by nothing less (D20)', () => {
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

  it('was paid in time in the second in which the last retry failed, and not in the one after', () => {
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

  it('starts anew after a payment', () => {
    const again = afterEvents(
      accountWithKey(),
      [subscriptionEvent(0, 'past_due'), failed(0, 1), paid(2), failed(30, 1, { invoice: 'in_2' })],
      day(31),
    );
    expect([causesOfAccount(again), nextDue(again)]).to.deep.equal([[], day(44)]);
  });

  it('leaves what an operator or abuse has placed (D20)', () => {
    const held = issued(account({ suspension: suspendedBy('manual_hold', 'abuse') }), NOON);
    const suspended = afterEvents(held, [subscriptionEvent(0, 'past_due'), failed(0, 1)], day(15));
    expect(causesOfAccount(suspended)).to.deep.equal(['payment_failure', 'abuse', 'manual_hold']);
    expect(causesOfAccount(afterEvents(suspended, [paid(16)], day(16)))).to.deep.equal([
      'abuse',
      'manual_hold',
    ]);
  });

  it('ends a grace that is running once it is exhausted (D22)', () => {
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

  it('is told of each failed attempt once', () => {
    const list = [subscriptionEvent(0, 'past_due'), failed(0, 1), failed(1, 2)];
    const change = withPaymentEvents(accountWithKey(), [...list, ...list], ALONE, processor(day(2)));
    expect(change.entries.map(({ reason }) => reason)).to.deep.equal([
      'in_1: first attempt',
      'in_1: retry 1',
    ]);
  });

  it('is refused from the first failure where the service is told to (PAST_DUE)', () => {
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
    afterAsking(settled(from, now).next, answers, ASKING, auditContext(now, 'service')).next;

  it('is asked about at the deadline, and not before', () => {
    expect(nextDue(owing())).to.equal(day(14));
    expect(questionsOf(owing(), plus(day(14), -MICROSECOND)).invoices).to.deep.equal([]);
    expect(questionsOf(owing(), day(14))).to.deep.equal({ invoices: ['in_1'], subscription: null });
  });

  it('is asked about what is overdue alone', () => {
    const both = afterEvents(owing(), [failed(2, 1, { invoice: 'in_2' })], day(13), ASKING);
    expect(questionsOf(both, day(14)).invoices).to.deep.equal(['in_1']);
    expect(questionsOf(both, day(16)).invoices).to.deep.equal(['in_1', 'in_2']);
  });

  it('is asked for the last time when the 24 hours are over, however shortly that is after', () => {
    const asked = asking(owing(), plus(day(15), -MINUTE));
    expect(nextDue(asked)).to.equal(day(15));
  });

  it('had lost what fell due before the deadline, and keeps what would fall due after, however late it is asked', () => {
    const late = (rotatedOn: number) => {
      const both = rotated(owing(), day(rotatedOn), 'k1', 'k2');
      return afterAsking(both, [stillOpen(20)], ASKING, auditContext(day(20))).next;
    };
    // The overlap ends a day after: before the deadline the successor is active, after it no more (D23).
    expect(keyNamed(late(12), 'k1').state).to.include({
      status: 'revoked',
      cause: 'rotation',
      revokedAt: day(13),
    });
    expect(keyNamed(late(13.5), 'k1').state.status).to.equal('active');
  });

  it('is suspended as of the deadline when the processor says that it is still owed', () => {
    const now = plus(day(14), HOUR);
    const change = afterAsking(
      settled(owing(), now).next,
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

  it('is served when the processor says that it was paid', () => {
    const after = asking(owing(), day(14), paid(13.5));
    expect([causesOfAccount(after), nextDue(after)]).to.deep.equal([[], null]);
  });

  it('is asked about every 5 minutes while the processor is away, and suspended 24 hours after', () => {
    let current = owing();
    for (let now = day(14); now < day(15); now = plus(now, 5 * MINUTE)) {
      expect(nextDue(current)).to.equal(now);
      current = asking(current, now);
      expect(causesOfAccount(current)).to.deep.equal([]);
    }
    const { next, entries } = settled(current, day(16));
    expect([causesOfAccount(next), entries[0]?.at]).to.deep.equal([['payment_failure'], day(15)]);
  });

  it('goes by what is known once there is no processor any more', () => {
    const after = afterAsking(owing(), [], ALONE, auditContext(day(14.5)));
    expect(causesOfAccount(after.next)).to.deep.equal(['payment_failure']);
  });

  it('is asked about when its trial ended without a word, and incomplete after 24 hours of silence', () => {
    const trial = afterEvents(
      accountWithKey(),
      [subscriptionEvent(0, 'trialing', { trialEndsOn: 7 })],
      day(6),
      ASKING,
    );
    expect([nextDue(trial), questionsOf(trial, day(7)).subscription]).to.deep.equal([day(7), 'sub_1']);
    const asked = asking(trial, day(7));
    expect([asked.subscription.state, nextDue(asked)]).to.deep.equal(['trialing', plus(day(7), 5 * MINUTE)]);
    const silent = settled(asked, day(9));
    expect([silent.next.subscription.state, eventsOf(silent)]).to.deep.equal(['incomplete', ['trial_ended']]);
    const heard = afterEvents(silent.next, [subscriptionEvent(9, 'active')], day(9), ASKING);
    expect([heard.subscription.state, nextDue(heard)]).to.deep.equal(['active', null]);
  });
});
