import { expect } from 'chai';
import fc from 'fast-check';
import type { Account, Change } from '../../../src/domain/accounts/account.js';
import { decideAt, nextDue, settled } from '../../../src/domain/accounts/account-due.js';
import {
  afterAsking,
  type BillingRules,
  questionsOf,
  withPaymentEvents,
} from '../../../src/domain/billing/account-payments.js';
import { DUNNING } from '../../../src/domain/billing/dunning.js';
import { type PaymentEvent, PROCESSOR_STATUSES } from '../../../src/domain/billing/payment-event.js';
import { PLAN_NAMES, type PlanName } from '../../../src/domain/billing/plan.js';
import { causesOf } from '../../../src/domain/keys/api-key.js';
import { DAY, HOUR, MICROSECOND, MINUTE, type Moment, plus } from '../../../src/domain/moment.js';
import {
  accepted,
  account,
  act,
  countedState,
  issued,
  keyNamed,
  NOON,
  rotated,
  runs,
  standing,
} from '../../support/objects/builders.js';
import { day, failed, paid, stillOpen, told } from '../../support/objects/payment-events.js';

const ALONE: BillingRules = { schedule: DUNNING, pastDue: 'serve', unasked: 'no processor' };
const ASKING: BillingRules = { ...ALONE, unasked: 'unreachable' };

const processor = (at: Moment) => act(at, 'processor');

/** Each event as it happens, and then the passing of time until `now`. */
const lived = (start: Account, list: readonly PaymentEvent[], now: Moment, rules = ALONE): Account => {
  const then = [...list]
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .reduce((current, one) => {
      const decide = (found: Account) => withPaymentEvents(found, [one], rules, processor(one.at));
      return accepted(decideAt(current, one.at, decide)).next;
    }, start);
  return settled(then, now).next;
};

const causes = ({ subscription }: Account) => causesOf(subscription.standing);
const happened = ({ entries }: Change) => entries.map(({ event: what }) => what);

describe('An account and its payments', () => {
  const start = (plan: PlanName = 'builder') => issued(account({ plan }), NOON, 'k1');

  it('follows plan and state of its subscription at the processor, whatever it was opened with (D27)', () => {
    const after = lived(start(), [told(1, 'trialing', { plan: 'pro' }), told(2, 'paused')], day(3));
    expect([after.subscription.plan, after.subscription.state]).to.deep.equal(['pro', 'paused']);
  });

  it('records each change of its subscription in words (D25)', () => {
    const change = withPaymentEvents(start(), [told(1, 'unpaid', { plan: 'pro' })], ALONE, processor(day(1)));
    expect(change.entries).to.deep.equal([
      {
        actor: 'processor',
        at: day(1),
        event: 'subscription_changed',
        key: null,
        reason: 'builder active → pro unpaid',
      },
    ]);
    expect(
      withPaymentEvents(change.next, [told(2, 'unpaid')], ALONE, processor(day(2))).entries,
    ).to.deep.equal([]);
  });

  describe('in dunning (D28)', () => {
    const retries = [failed(0, 1), failed(1, 2), failed(4, 3), failed(8, 4)];

    it('is served until the fourth retry has failed, and suspended then', () => {
      const running = lived(start(), [told(0, 'past_due'), ...retries], day(11));
      expect([running.subscription.state, causes(running)]).to.deep.equal(['active', []]);
      expect(running.dunning[0]).to.include({ id: 'in_1', failedRetries: 3 });
      const over = lived(running, [failed(12, 5)], day(12));
      expect([causes(over), countedState(over, 'k1').status]).to.deep.equal([
        ['payment_failure'],
        'suspended',
      ]);
    });

    it('is suspended 14 days after the first failure, as of then, however late somebody looks', () => {
      const running = lived(start(), [told(0, 'past_due'), ...retries], day(13));
      expect(nextDue(running)).to.equal(day(14));
      expect(causes(settled(running, plus(day(14), -MICROSECOND)).next)).to.deep.equal([]);
      const { next, entries } = settled(running, day(40));
      expect(causes(next)).to.deep.equal(['payment_failure']);
      expect(entries.map(({ event: what, at }) => [what, at])).to.deep.equal([['payment_failed', day(14)]]);
      expect(nextDue(next)).to.equal(null);
    });

    it('is restored, key and all, by the payment of everything that is owed, and by nothing less (D20)', () => {
      const two = [told(0, 'past_due'), ...retries, failed(12, 5), failed(13, 1, { invoice: 'in_2' })];
      const suspended = lived(start(), two, day(14));
      const half = lived(suspended, [paid(15)], day(15));
      expect(causes(half)).to.deep.equal(['payment_failure']);
      const whole = lived(half, [paid(16, 'in_2')], day(16));
      expect([causes(whole), countedState(whole, 'k1'), whole.dunning]).to.deep.equal([
        [],
        { status: 'active' },
        [],
      ]);
    });

    it('was paid in time in the second in which the last retry failed, and not in the one after', () => {
      const owing = [told(0, 'past_due'), ...retries, failed(12, 5), failed(11, 1, { invoice: 'in_2' })];
      expect(causes(lived(start(), [...owing, paid(12)], day(13)))).to.deep.equal([]);
      expect(causes(lived(start(), [...owing, paid(12 + 1 / 86_400)], day(13)))).to.deep.equal([
        'payment_failure',
      ]);
    });

    it('starts anew after a payment', () => {
      const again = lived(
        start(),
        [told(0, 'past_due'), failed(0, 1), paid(2), failed(30, 1, { invoice: 'in_2' })],
        day(31),
      );
      expect([causes(again), nextDue(again)]).to.deep.equal([[], day(44)]);
    });

    it('leaves what an operator or abuse has placed (D20)', () => {
      const held = issued(account({ standing: standing('manual_hold', 'abuse') }), NOON);
      const suspended = lived(held, [told(0, 'past_due'), failed(0, 1)], day(15));
      expect(causes(suspended)).to.deep.equal(['payment_failure', 'abuse', 'manual_hold']);
      expect(causes(lived(suspended, [paid(16)], day(16)))).to.deep.equal(['abuse', 'manual_hold']);
    });

    it('ends a grace that is running once it is exhausted (D22)', () => {
      const [changing, at] = [rotated(start(), day(11.9), 'k1', 'k2'), plus(day(12), -MINUTE)];
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
      const over = lived(retired, [told(0, 'active'), ...retries, failed(12, 5)], day(12));
      expect(keyNamed(over, 'k1').state).to.include({ worksUntil: day(12) });
    });

    it('is told of each failed attempt once', () => {
      const list = [told(0, 'past_due'), failed(0, 1), failed(1, 2)];
      const change = withPaymentEvents(start(), [...list, ...list], ALONE, processor(day(2)));
      expect(change.entries.map(({ reason }) => reason)).to.deep.equal([
        'in_1: first attempt',
        'in_1: retry 1',
      ]);
    });

    it('is refused from the first failure where the service is told to (PAST_DUE)', () => {
      const rules = { ...ALONE, pastDue: 'refuse' as const };
      const { state } = lived(start(), [told(0, 'past_due'), failed(0, 1)], day(1), rules).subscription;
      expect(state).to.equal('unpaid');
    });
  });

  describe('whose processor can be asked (D28)', () => {
    const owing = () => lived(start(), [told(0, 'past_due'), failed(0, 1)], day(13), ASKING);
    const asking = (from: Account, now: Moment, ...answers: readonly PaymentEvent[]) =>
      afterAsking(settled(from, now).next, answers, ASKING, act(now, 'service')).next;

    it('is asked about at the deadline, and not before', () => {
      expect(nextDue(owing())).to.equal(day(14));
      expect(questionsOf(owing(), plus(day(14), -MICROSECOND)).invoices).to.deep.equal([]);
      expect(questionsOf(owing(), day(14))).to.deep.equal({ invoices: ['in_1'], subscription: null });
    });

    it('is asked about what is overdue alone', () => {
      const both = lived(owing(), [failed(2, 1, { invoice: 'in_2' })], day(13), ASKING);
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
        return afterAsking(both, [stillOpen(20)], ASKING, act(day(20))).next;
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
      const change = afterAsking(settled(owing(), now).next, [stillOpen(14 + 1 / 24)], ASKING, act(now));
      expect(causes(change.next)).to.deep.equal(['payment_failure']);
      expect(change.entries.map(({ event: what, at }) => [what, at])).to.deep.equal([
        ['payment_failed', day(14)],
      ]);
      const later = withPaymentEvents(change.next, [told(15, 'past_due')], ASKING, processor(day(15)));
      expect(causes(later.next)).to.deep.equal(['payment_failure']);
    });

    it('is served when the processor says that it was paid', () => {
      const after = asking(owing(), day(14), paid(13.5));
      expect([causes(after), nextDue(after)]).to.deep.equal([[], null]);
    });

    it('is asked about every 5 minutes while the processor is away, and suspended 24 hours after', () => {
      let current = owing();
      for (let now = day(14); now < day(15); now = plus(now, 5 * MINUTE)) {
        expect(nextDue(current)).to.equal(now);
        current = asking(current, now);
        expect(causes(current)).to.deep.equal([]);
      }
      const { next, entries } = settled(current, day(16));
      expect([causes(next), entries[0]?.at]).to.deep.equal([['payment_failure'], day(15)]);
    });

    it('goes by what is known once there is no processor any more', () => {
      const after = afterAsking(owing(), [], ALONE, act(day(14.5)));
      expect(causes(after.next)).to.deep.equal(['payment_failure']);
    });

    it('is asked about when its trial ended without a word, and incomplete after 24 hours of silence', () => {
      const trial = lived(start(), [told(0, 'trialing', { trialEndsOn: 7 })], day(6), ASKING);
      expect([nextDue(trial), questionsOf(trial, day(7)).subscription]).to.deep.equal([day(7), 'sub_1']);
      const asked = asking(trial, day(7));
      expect([asked.subscription.state, nextDue(asked)]).to.deep.equal([
        'trialing',
        plus(day(7), 5 * MINUTE),
      ]);
      const silent = settled(asked, day(9));
      expect([silent.next.subscription.state, happened(silent)]).to.deep.equal([
        'incomplete',
        ['trial_ended'],
      ]);
      const heard = lived(silent.next, [told(9, 'active')], day(9), ASKING);
      expect([heard.subscription.state, nextDue(heard)]).to.deep.equal(['active', null]);
    });
  });

  describe('when it is canceled (section 3.1)', () => {
    it('has all its keys revoked, and is revived without them (D27)', () => {
      const canceled = lived(start(), [told(0, 'active'), told(5, 'canceled')], day(5));
      expect([canceled.subscription.state, keyNamed(canceled, 'k1').state.status]).to.deep.equal([
        'canceled',
        'revoked',
      ]);
      const revived = lived(canceled, [told(6, 'active', { id: 'sub_2', startedOn: 6 })], day(6));
      expect([revived.subscription.state, keyNamed(revived, 'k1').state.status]).to.deep.equal([
        'active',
        'revoked',
      ]);
    });

    it('loses no key with an older subscription that ends beside a newer one', () => {
      const list = [
        told(0, 'active'),
        told(4, 'active', { id: 'sub_2', startedOn: 4 }),
        told(5, 'canceled', { startedOn: 0 }),
      ];
      const after = lived(start(), list, day(6));
      expect([after.subscription.state, keyNamed(after, 'k1').state.status]).to.deep.equal([
        'active',
        'active',
      ]);
    });

    it('loses the keys of the older one, not those of the newer, when the end is told late', () => {
      const newer = lived(
        start('pro'),
        [told(0, 'active'), told(6, 'active', { id: 'sub_2', startedOn: 6 })],
        day(6),
      );
      const after = lived(issued(newer, day(7), 'k2'), [told(5, 'canceled')], day(8));
      expect([
        after.subscription.state,
        keyNamed(after, 'k1').state.status,
        keyNamed(after, 'k2').state.status,
      ]).to.deep.equal(['active', 'revoked', 'active']);
    });

    it('loses none where the next one began in the second in which it ended', () => {
      const list = [told(0, 'active'), told(5, 'canceled'), told(5, 'active', { id: 'sub_2', startedOn: 5 })];
      const { next } = withPaymentEvents(
        start(),
        [list[0], list[2], list[1]].flatMap((one) => one ?? []),
        ALONE,
        processor(day(6)),
      );
      expect([next.subscription.state, keyNamed(next, 'k1').state.status]).to.deep.equal([
        'active',
        'active',
      ]);
    });

    it('keeps the key that was issued in the moment in which the next one began', () => {
      const newer = lived(
        start('pro'),
        [told(0, 'active'), told(6, 'active', { id: 'sub_2', startedOn: 6 })],
        day(6),
      );
      const { next } = withPaymentEvents(
        issued(newer, day(6), 'k2'),
        [told(5, 'canceled')],
        ALONE,
        processor(day(8)),
      );
      expect([keyNamed(next, 'k1').state.status, keyNamed(next, 'k2').state.status]).to.deep.equal([
        'revoked',
        'active',
      ]);
    });

    it('is recorded as canceled once, whatever is said afterwards (D25)', () => {
      const canceled = lived(start(), [told(0, 'active'), told(5, 'canceled')], day(5));
      const again = withPaymentEvents(
        canceled,
        [told(6, 'canceled'), told(7, 'active', { id: 'sub_2', startedOn: 7 })],
        ALONE,
        processor(day(8)),
      );
      expect(happened(again)).to.deep.equal(['subscription_changed']);
    });

    it('loses them also when two that overlapped have both ended, in whatever order that is told', () => {
      const ends = [told(10, 'canceled'), told(5, 'canceled', { id: 'sub_2', startedOn: 3 })];
      for (const order of [ends, ends.toReversed()]) {
        const begun = lived(
          start(),
          [told(0, 'active'), told(3, 'active', { id: 'sub_2', startedOn: 3 })],
          day(4),
        );
        const { next } = withPaymentEvents(begun, order, ALONE, processor(day(11)));
        expect([next.subscription.state, keyNamed(next, 'k1').state.status]).to.deep.equal([
          'canceled',
          'revoked',
        ]);
      }
    });

    it('is in no dunning any more', () => {
      const after = lived(start(), [told(0, 'past_due'), failed(0, 1), told(5, 'canceled')], day(40));
      expect([after.dunning, nextDue(after), causes(after)]).to.deep.equal([[], null, []]);
    });
  });

  describe('stands the same in the end (D29)', () => {
    const days = fc.integer({ min: 0, max: 30 });
    const facts = fc.oneof(
      {
        weight: 2,
        arbitrary: fc.record({
          what: fc.constant('told' as const),
          days,
          status: fc.constantFrom(...PROCESSOR_STATUSES),
          id: fc.constantFrom('sub_1', 'sub_2'),
          plan: fc.option(fc.constantFrom(...PLAN_NAMES), { nil: null }),
          trialEndsOn: fc.integer({ min: 0, max: 35 }),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          what: fc.constant('failed' as const),
          days,
          attempts: fc.integer({ min: 1, max: 6 }),
          invoice: fc.constantFrom('in_1', 'in_2', 'in_3'),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          what: fc.constant('paid' as const),
          days,
          invoice: fc.constantFrom('in_1', 'in_2', 'in_3'),
        }),
      },
    );
    const streams = fc.array(facts, { maxLength: 14 }).map((list) =>
      list.map((one) => {
        if (one.what === 'told')
          return told(one.days, one.status, { ...one, startedOn: one.id === 'sub_1' ? 0 : 3 });
        if (one.what === 'failed') return failed(one.days, one.attempts, one);
        return paid(one.days, one.invoice);
      }),
    );
    const END = day(60);
    /** What the wire shows of it; keys apart: one that was revoked cannot come back (D22). */
    const shown = ({ subscription, dunning, pending, payments }: Account) => ({
      subscription,
      dunning,
      pending,
      payments,
    });

    it('in whatever order its events come, how often, and whether they came in time or all at once', () => {
      const delivered = streams.chain((stream) =>
        fc.tuple(
          fc.constant(stream),
          fc.shuffledSubarray([...stream, ...stream], { minLength: stream.length * 2 }),
        ),
      );
      fc.assert(
        fc.property(delivered, ([stream, shuffled]) => {
          const opened = start();
          const { id } = opened.subscription;
          const late = withPaymentEvents(opened, shuffled, ALONE, processor(END)).next;
          const inTime = lived(start(), stream, END);
          expect(shown(late)).to.deep.equal(
            shown({ ...inTime, subscription: { ...inTime.subscription, id } }),
          );
        }),
        runs(2_000),
      );
    });

    it('in steps of any size over 30 days and more', () => {
      const steps = fc.array(fc.integer({ min: 1, max: 5 * DAY }), { maxLength: 60 });
      fc.assert(
        fc.property(streams, steps, (stream, sizes) => {
          const begun = withPaymentEvents(start(), stream, ALONE, processor(day(0))).next;
          let stepped = begun;
          let now = day(0);
          for (const size of sizes) {
            now = plus(now, size);
            stepped = settled(stepped, now).next;
          }
          expect(settled(stepped, END)).to.deep.equal({
            next: settled(begun, END).next,
            entries: settled(stepped, END).entries,
          });
        }),
        runs(500),
      );
    });
  });
});
