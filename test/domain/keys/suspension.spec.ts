import { expect } from 'chai';
import fc from 'fast-check';
import type { Account } from '../../../src/domain/accounts/account.js';
import { applyDue, applyDueAndDecide } from '../../../src/domain/accounts/account-due.js';
import { type BillingRules, withPaymentEvents } from '../../../src/domain/billing/account-payments.js';
import { applyToSubscription, cancelSubscription } from '../../../src/domain/billing/account-subscription.js';
import { DUNNING } from '../../../src/domain/billing/dunning.js';
import { type PaymentEvent, PROCESSOR_STATUSES } from '../../../src/domain/billing/payment-event.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { applyOperatorEvent, issueKey, revokeKey, rotateKey } from '../../../src/domain/keys/account-keys.js';
import { causesOf, KEY_EVENTS, transition } from '../../../src/domain/keys/api-key.js';
import {
  SUSPENSION_CAUSES,
  SUSPENSIONS,
  suspensionCauseOf,
  union,
  without,
} from '../../../src/domain/keys/suspension.js';
import { DAY, HOUR, MINUTE, type Moment, plus } from '../../../src/domain/moment.js';
import { isRefusal } from '../../../src/domain/refusal.js';
import {
  accepted,
  account,
  auditContext,
  countedState,
  freshKey,
  issued,
  keyId,
  keyNamed,
  NOON,
  runs,
  suspendedBy,
} from '../../support/objects/builders.js';
import { day, failed, paid, settledAs, subscriptionEvent } from '../../support/objects/payment-events.js';

const RULES: BillingRules = { schedule: DUNNING, pastDue: 'serve', deadlineRule: 'no processor' };
const k1 = keyId('k1');
const twoKeys = () => issued(account(), NOON, 'k1', 'k2');

const afterEvent = (from: Account, event: PaymentEvent, at: Moment = event.at): Account =>
  accepted(
    applyDueAndDecide(from, at, (found) =>
      withPaymentEvents(found, [event], RULES, auditContext(at, 'processor')),
    ),
  ).next;
const afterEvents = (from: Account, ...events: readonly PaymentEvent[]): Account =>
  events.reduce((current, event) => afterEvent(current, event), from);
const causes = ({ subscription }: Account) => causesOf(subscription.suspension);

/** Anything that can happen to an account, except a release. */
type Step = {
  readonly wait: number;
  readonly does: (from: Account, at: Moment, i: number) => ReturnType<typeof applyDueAndDecide>;
};

const paymentEvents = fc.oneof(
  fc.constantFrom(...PROCESSOR_STATUSES).map((status) => subscriptionEvent(0, status)),
  fc.integer({ min: 1, max: 6 }).map((attempts) => failed(0, attempts)),
  fc.constantFrom('paid', 'voided', 'uncollectible').map((how) => settledAs(0, how as 'paid')),
);
const otherCauseEvents = fc.constantFrom(
  ...(['payment_failed', 'invoice_paid', 'abuse_detected', 'abuse_cleared', 'held'] as const),
);
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record<Step>({
    wait: fc.oneof(fc.constantFrom(0, 5 * MINUTE, HOUR, DAY, 14 * DAY), fc.nat(400 * DAY)),
    does: fc.oneof<fc.Arbitrary<Step['does']>[]>(
      paymentEvents.map(
        (event) => (from, at) =>
          withPaymentEvents(from, [{ ...event, at }], RULES, auditContext(at, 'processor')),
      ),
      otherCauseEvents.map((event) => (from, at) => applyToSubscription(from, event, auditContext(at))),
      fc.constantFrom<Step['does'][]>(
        (from, at) => revokeKey(from, k1, 'manual', auditContext(at)),
        (from, at) => revokeKey(from, k1, 'rotation', auditContext(at)),
        (from, at, i) => rotateKey(from, k1, freshKey(`s${i}`), auditContext(at)),
        (from, at, i) => issueKey(from, freshKey(`k${i}`), PLANS.pro, auditContext(at)),
        (from, at) => applyOperatorEvent(from, k1, 'held', auditContext(at)),
        (from, at) => applyOperatorEvent(from, k1, 'abuse_cleared', auditContext(at)),
        (from, at) => cancelSubscription(from, auditContext(at)),
      ),
    ),
  }),
  { minLength: 1, maxLength: 15, size: 'max' },
);

function afterSteps(start: Account, some: readonly Step[]): { readonly end: Account; readonly at: Moment } {
  let [end, at] = [start, NOON];
  for (const [i, { wait, does }] of some.entries()) {
    at = plus(at, wait);
    const moment = at;
    const change = applyDueAndDecide(end, at, (found) => does(found, moment, i));
    end = isRefusal(change) ? applyDue(end, at).next : change.next;
  }
  return { end, at };
}

/** Whether a key has a hold of its own, even after its revocation. */
const isHeld = (from: Account, name: string): boolean => {
  const { state } = keyNamed(from, name);
  return state.status === 'revoked' ? state.held : causesOf(state).includes('manual_hold');
};

describe('A hold', () => {
  it('ends only when an operator releases it: the table has no other way', () => {
    expect(SUSPENSIONS.manual_hold).to.deep.equal({
      starts: 'held',
      startedBy: 'operator',
      ends: 'released',
      endedBy: 'operator',
    });
  });

  it('on a subscription is ended by nothing but a release there: not by time, not by a payment', () => {
    fc.assert(
      fc.property(steps, (some) => {
        const { end, at } = afterSteps(applyToSubscription(twoKeys(), 'held', auditContext()).next, some);
        expect(causes(end)).to.include('manual_hold');
        const keyReleased = accepted(applyOperatorEvent(end, k1, 'released', auditContext(at))).next;
        expect(causes(keyReleased)).to.include('manual_hold');
        expect(causes(applyToSubscription(end, 'released', auditContext(at)).next)).to.not.include(
          'manual_hold',
        );
      }),
      runs(150),
    );
  });

  it('on a key is ended by nothing but a release there: not by time, not by a payment', () => {
    fc.assert(
      fc.property(steps, (some) => {
        const { end, at } = afterSteps(
          accepted(applyOperatorEvent(twoKeys(), k1, 'held', auditContext())).next,
          some,
        );
        expect(isHeld(end, 'k1')).to.equal(true);
        expect(isHeld(applyToSubscription(end, 'released', auditContext(at)).next, 'k1')).to.equal(true);
        const released = accepted(applyOperatorEvent(end, k1, 'released', auditContext(at))).next;
        expect(isHeld(released, 'k1')).to.equal(false);
        const isRevoked = keyNamed(end, 'k1').state.status === 'revoked';
        expect(keyNamed(released, 'k1').state.status === 'revoked').to.equal(isRevoked);
      }),
      runs(150),
    );
  });
});

describe('A suspension for non-payment (D28)', () => {
  const owing = [subscriptionEvent(0, 'past_due'), failed(0, 1), failed(10, 1, { invoice: 'in_2' })];
  const suspended = () => applyDue(afterEvents(twoKeys(), ...owing), day(14)).next;

  it('starts on the subscription 14 days after the first failure, and suspends all its keys', () => {
    expect(causes(applyDue(afterEvents(twoKeys(), ...owing), plus(day(14), -1)).next)).to.deep.equal([]);
    for (const name of ['k1', 'k2']) {
      expect(countedState(suspended(), name)).to.deep.equal(suspendedBy('payment_failure'));
      expect(keyNamed(suspended(), name).state).to.deep.equal(suspendedBy());
    }
  });

  it('ends when no invoice is open, not while one is', () => {
    const half = afterEvent(suspended(), paid(15));
    expect(causes(half)).to.deep.equal(['payment_failure']);
    for (const last of ['paid', 'voided'] as const) {
      expect(causes(afterEvent(half, settledAs(16, last, 'in_2'))), last).to.deep.equal([]);
    }
    expect(causes(afterEvent(half, settledAs(16, 'uncollectible', 'in_2')))).to.deep.equal([
      'payment_failure',
    ]);
  });

  it('is not ended by time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_000 }), (days) => {
        expect(causes(applyDue(suspended(), day(14 + days)).next)).to.deep.equal(['payment_failure']);
      }),
      runs(50),
    );
  });

  it('is not ended by an operator: a release and a clearing end their own causes', () => {
    expect(SUSPENSIONS.payment_failure.endedBy).to.equal('payment');
    for (const event of ['released', 'abuse_cleared'] as const) {
      expect(causes(applyToSubscription(suspended(), event, auditContext(day(15))).next)).to.deep.equal([
        'payment_failure',
      ]);
    }
  });

  it('ends when the subscription has ended, and its keys are revoked', () => {
    const ended = afterEvent(suspended(), subscriptionEvent(15, 'canceled'));
    expect(causes(ended)).to.deep.equal([]);
    expect(keyNamed(ended, 'k1').state).to.include({ status: 'revoked', cause: 'cancellation' });
  });
});

describe('The table of suspensions', () => {
  for (const cause of SUSPENSION_CAUSES) {
    const { starts, ends } = SUSPENSIONS[cause];

    it(`${cause} starts with ${starts} and ends with ${ends}, and with no other event`, () => {
      for (const event of KEY_EVENTS) {
        const before = { none: suspendedBy(), all: suspendedBy(...SUSPENSION_CAUSES) };
        const fromNone = accepted(transition(before.none, event, NOON));
        const fromAll = accepted(transition(before.all, event, NOON));
        expect(causesOf(fromNone).includes(cause), event).to.equal(event === starts);
        const isLifted = fromAll.status === 'suspended' && !fromAll.causes.includes(cause);
        expect(isLifted, event).to.equal(event === ends);
      }
    });

    it(`${starts} and ${ends} name ${cause}`, () => {
      expect([suspensionCauseOf(starts), suspensionCauseOf(ends)]).to.deep.equal([cause, cause]);
    });
  }

  it('names no events that revoke, and no others', () => {
    for (const event of ['rotated', 'cancelled', 'revoked', 'opened', 'toString', '']) {
      expect(suspensionCauseOf(event), event).to.equal(null);
    }
  });

  it('has no cause that time ends', () => {
    expect(SUSPENSION_CAUSES.map((cause) => SUSPENSIONS[cause].endedBy)).to.deep.equal([
      'payment',
      'operator',
      'operator',
    ]);
  });
});

describe('A set of causes (D20)', () => {
  const sets = fc.subarray([...SUSPENSION_CAUSES]);

  it('is listed in one order, each cause once, whatever the order of its sources', () => {
    expect(SUSPENSION_CAUSES).to.deep.equal(['payment_failure', 'abuse', 'manual_hold']);
    fc.assert(
      fc.property(sets, sets, fc.boolean(), (some, others, isReversed) => {
        const either = union(isReversed ? [...some].reverse() : some, others);
        expect(either).to.deep.equal(
          SUSPENSION_CAUSES.filter((cause) => [...some, ...others].includes(cause)),
        );
        expect(either).to.deep.equal(union(others, some));
      }),
      runs(50),
    );
  });

  it('has all other causes after one was removed', () => {
    fc.assert(
      fc.property(sets, fc.constantFrom(...SUSPENSION_CAUSES), (some, lifted) => {
        const left = without(some, lifted);
        expect(left).to.not.include(lifted);
        expect(union(left, some.includes(lifted) ? [lifted] : [])).to.deep.equal(union(some, []));
      }),
      runs(50),
    );
  });
});
