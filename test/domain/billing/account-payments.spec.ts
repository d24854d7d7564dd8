import { expect } from 'chai';
import fc from 'fast-check';
import type { Account } from '../../../src/domain/accounts/account.js';
import { applyDue, nextDue } from '../../../src/domain/accounts/account-due.js';
import { withPaymentEvents } from '../../../src/domain/billing/account-payments.js';
import { PROCESSOR_STATUSES } from '../../../src/domain/billing/payment-event.js';
import { PLAN_NAMES } from '../../../src/domain/billing/plan.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import {
  ALONE,
  accountWithKey,
  afterEvents,
  causesOfAccount,
  eventsOf,
  processor,
} from '../../support/objects/account-payments.js';
import { issued, keyNamed, runs } from '../../support/objects/builders.js';
import { day, failed, paid, subscriptionEvent } from '../../support/objects/payment-events.js';

describe('An account with payments', () => {
  it('has plan and state of its subscription at the processor, whatever its first plan (D27)', () => {
    const after = afterEvents(
      accountWithKey(),
      [subscriptionEvent(1, 'trialing', { plan: 'pro' }), subscriptionEvent(2, 'paused')],
      day(3),
    );
    expect([after.subscription.plan, after.subscription.state]).to.deep.equal(['pro', 'paused']);
  });

  it('records each change of its subscription (D25)', () => {
    const change = withPaymentEvents(
      accountWithKey(),
      [subscriptionEvent(1, 'unpaid', { plan: 'pro' })],
      ALONE,
      processor(day(1)),
    );
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
      withPaymentEvents(change.next, [subscriptionEvent(2, 'unpaid')], ALONE, processor(day(2))).entries,
    ).to.deep.equal([]);
  });
});

describe('An account that is canceled (contract section 3.1)', () => {
  it('has all its keys revoked, and a new subscription does not restore them (D27)', () => {
    const canceled = afterEvents(
      accountWithKey(),
      [subscriptionEvent(0, 'active'), subscriptionEvent(5, 'canceled')],
      day(5),
    );
    expect([canceled.subscription.state, keyNamed(canceled, 'k1').state.status]).to.deep.equal([
      'canceled',
      'revoked',
    ]);
    const revived = afterEvents(
      canceled,
      [subscriptionEvent(6, 'active', { id: 'sub_2', startedOn: 6 })],
      day(6),
    );
    expect([revived.subscription.state, keyNamed(revived, 'k1').state.status]).to.deep.equal([
      'active',
      'revoked',
    ]);
  });

  it('loses no key when an older subscription ends beside a newer one', () => {
    const list = [
      subscriptionEvent(0, 'active'),
      subscriptionEvent(4, 'active', { id: 'sub_2', startedOn: 4 }),
      subscriptionEvent(5, 'canceled', { startedOn: 0 }),
    ];
    const after = afterEvents(accountWithKey(), list, day(6));
    expect([after.subscription.state, keyNamed(after, 'k1').state.status]).to.deep.equal([
      'active',
      'active',
    ]);
  });

  it('loses the keys of the older subscription, not those of the newer, when the end is reported late', () => {
    const newer = afterEvents(
      accountWithKey('pro'),
      [subscriptionEvent(0, 'active'), subscriptionEvent(6, 'active', { id: 'sub_2', startedOn: 6 })],
      day(6),
    );
    const after = afterEvents(issued(newer, day(7), 'k2'), [subscriptionEvent(5, 'canceled')], day(8));
    expect([
      after.subscription.state,
      keyNamed(after, 'k1').state.status,
      keyNamed(after, 'k2').state.status,
    ]).to.deep.equal(['active', 'revoked', 'active']);
  });

  it('loses no key if the next subscription began in the second in which the older ended', () => {
    const list = [
      subscriptionEvent(0, 'active'),
      subscriptionEvent(5, 'canceled'),
      subscriptionEvent(5, 'active', { id: 'sub_2', startedOn: 5 }),
    ];
    const { next } = withPaymentEvents(
      accountWithKey(),
      [list[0], list[2], list[1]].flatMap((one) => one ?? []),
      ALONE,
      processor(day(6)),
    );
    expect([next.subscription.state, keyNamed(next, 'k1').state.status]).to.deep.equal(['active', 'active']);
  });

  it('keeps a key that was issued at the moment at which the next subscription began', () => {
    const newer = afterEvents(
      accountWithKey('pro'),
      [subscriptionEvent(0, 'active'), subscriptionEvent(6, 'active', { id: 'sub_2', startedOn: 6 })],
      day(6),
    );
    const { next } = withPaymentEvents(
      issued(newer, day(6), 'k2'),
      [subscriptionEvent(5, 'canceled')],
      ALONE,
      processor(day(8)),
    );
    expect([keyNamed(next, 'k1').state.status, keyNamed(next, 'k2').state.status]).to.deep.equal([
      'revoked',
      'active',
    ]);
  });

  it('is recorded as canceled once, whatever events follow (D25)', () => {
    const canceled = afterEvents(
      accountWithKey(),
      [subscriptionEvent(0, 'active'), subscriptionEvent(5, 'canceled')],
      day(5),
    );
    const again = withPaymentEvents(
      canceled,
      [subscriptionEvent(6, 'canceled'), subscriptionEvent(7, 'active', { id: 'sub_2', startedOn: 7 })],
      ALONE,
      processor(day(8)),
    );
    expect(eventsOf(again)).to.deep.equal(['subscription_changed']);
  });

  it('loses its keys when two overlapping subscriptions have both ended, in any order of the events', () => {
    const ends = [
      subscriptionEvent(10, 'canceled'),
      subscriptionEvent(5, 'canceled', { id: 'sub_2', startedOn: 3 }),
    ];
    for (const order of [ends, ends.toReversed()]) {
      const begun = afterEvents(
        accountWithKey(),
        [subscriptionEvent(0, 'active'), subscriptionEvent(3, 'active', { id: 'sub_2', startedOn: 3 })],
        day(4),
      );
      const { next } = withPaymentEvents(begun, order, ALONE, processor(day(11)));
      expect([next.subscription.state, keyNamed(next, 'k1').state.status]).to.deep.equal([
        'canceled',
        'revoked',
      ]);
    }
  });

  it('is no longer in dunning', () => {
    const after = afterEvents(
      accountWithKey(),
      [subscriptionEvent(0, 'past_due'), failed(0, 1), subscriptionEvent(5, 'canceled')],
      day(40),
    );
    expect([after.dunning, nextDue(after), causesOfAccount(after)]).to.deep.equal([[], null, []]);
  });
});

const attemptText = (invoice: string, attempts: number): string =>
  `${invoice}: ${attempts === 1 ? 'first attempt' : `retry ${attempts - 1}`}`;

describe('The final state of an account with payments (D29)', () => {
  const days = fc.integer({ min: 0, max: 30 });
  const facts = fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        what: fc.constant('subscription' as const),
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
      if (one.what === 'subscription')
        return subscriptionEvent(one.days, one.status, { ...one, startedOn: one.id === 'sub_1' ? 0 : 3 });
      if (one.what === 'failed') return failed(one.days, one.attempts, one);
      return paid(one.days, one.invoice);
    }),
  );
  const END = day(60);
  /** The state that the API shows, without keys: a revoked key cannot be restored (D22). */
  const shown = ({ subscription, dunning, pending, payments }: Account) => ({
    subscription,
    dunning,
    pending,
    payments,
  });

  it('is the same in any order of the events, with repetitions, in time or all at once', () => {
    const delivered = streams.chain((stream) =>
      fc.tuple(
        fc.constant(stream),
        fc.shuffledSubarray([...stream, ...stream], { minLength: stream.length * 2 }),
      ),
    );
    fc.assert(
      fc.property(delivered, ([stream, shuffled]) => {
        const opened = accountWithKey();
        const { id } = opened.subscription;
        const late = withPaymentEvents(opened, shuffled, ALONE, processor(END)).next;
        const inTime = afterEvents(accountWithKey(), stream, END);
        expect(shown(late)).to.deep.equal(shown({ ...inTime, subscription: { ...inTime.subscription, id } }));
      }),
      runs(2_000),
    );
  });

  it('comes with one entry for each failed attempt, in any order of the events and with repetitions', () => {
    const delivered = streams.chain((stream) =>
      fc.shuffledSubarray([...stream, ...stream], { minLength: stream.length * 2 }),
    );
    fc.assert(
      fc.property(delivered, (events) => {
        const { entries } = withPaymentEvents(accountWithKey(), events, ALONE, processor(END));
        const listed = entries.filter(({ event }) => event === 'attempt_failed').map(({ reason }) => reason);
        const attempts = events.flatMap(({ fact }) =>
          fact.kind === 'payment_failed' ? [attemptText(fact.invoice, fact.attempts)] : [],
        );
        expect(listed.toSorted()).to.deep.equal([...new Set(attempts)].toSorted());
      }),
      runs(500),
    );
  });

  it('is the same for clock steps of any size over 30 days and more', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 5 * DAY }), { maxLength: 60 });
    fc.assert(
      fc.property(streams, steps, (stream, sizes) => {
        const begun = withPaymentEvents(accountWithKey(), stream, ALONE, processor(day(0))).next;
        let stepped = begun;
        let now = day(0);
        for (const size of sizes) {
          now = plus(now, size);
          stepped = applyDue(stepped, now).next;
        }
        expect(applyDue(stepped, END)).to.deep.equal({
          next: applyDue(begun, END).next,
          entries: applyDue(stepped, END).entries,
        });
      }),
      runs(500),
    );
  });
});
