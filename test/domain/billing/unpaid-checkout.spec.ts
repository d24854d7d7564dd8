import { expect } from 'chai';
import { withPaymentEvents } from '../../../src/domain/billing/account-payments.js';
import type { PaymentEvent, ProcessorStatus } from '../../../src/domain/billing/payment-event.js';
import {
  ALONE,
  accountWithKey,
  afterEvents,
  eventsOf,
  processor,
} from '../../support/objects/account-payments.js';
import { keyNamed } from '../../support/objects/builders.js';
import { day, subscriptionEvent } from '../../support/objects/payment-events.js';

const shown = (plan: 'free' | 'builder', list: readonly PaymentEvent[]) => {
  const { next } = withPaymentEvents(accountWithKey(plan), list, ALONE, processor(day(20)));
  return [next.subscription.plan, next.subscription.state, keyNamed(next, 'k1').state.status];
};
/** Each order of up to three events. */
const ordersOf = (list: readonly PaymentEvent[]): readonly (readonly PaymentEvent[])[] =>
  list.length <= 1
    ? [list]
    : list.flatMap((one) => ordersOf(list.filter((other) => other !== one)).map((rest) => [one, ...rest]));
const first = (days: number, status: ProcessorStatus) => subscriptionEvent(days, status, { plan: 'builder' });
const second = (days: number, status: ProcessorStatus) =>
  subscriptionEvent(days, status, { id: 'sub_2', startedOn: 3, plan: 'pro' });

/** D27: only the end of a subscription that was served revokes (contract section 3.1). */
describe('A checkout that was never paid', () => {
  // biome-ignore format: a table is read by its columns
  const CASES: readonly (readonly [title: string, list: readonly PaymentEvent[], outcome: readonly string[]])[] = [
    ['of a free account takes nothing away while it waits',     [second(3, 'incomplete')],                              ['free', 'active', 'active']],
    ['of a free account takes nothing away when it ends',       [second(3, 'incomplete'), second(4, 'incomplete_expired')], ['free', 'active', 'active']],
    ['that ended takes nothing away, as its only event',        [second(4, 'incomplete_expired')],                      ['free', 'active', 'active']],
    ['that was cancelled takes nothing away',                   [second(3, 'incomplete'), second(4, 'canceled')],       ['free', 'active', 'active']],
    ['beside a subscription changes nothing',                   [first(0, 'active'), second(3, 'incomplete')],          ['builder', 'active', 'active']],
    ['leaves the subscription beside it when it ends',          [first(0, 'active'), second(3, 'incomplete'), second(4, 'canceled')], ['builder', 'active', 'active']],
  ];
  for (const [title, list, outcome] of CASES) {
    it(title, () => {
      expect(shown('free', list)).to.deep.equal(outcome);
      expect(shown('free', list.toReversed()).slice(0, 2)).to.deep.equal(outcome.slice(0, 2));
    });
  }

  it('does not protect the keys of a subscription that ends, once it has ended itself', () => {
    const waits = afterEvents(
      accountWithKey(),
      [first(0, 'active'), second(3, 'incomplete'), first(5, 'canceled')],
      day(5),
    );
    expect([waits.subscription.state, keyNamed(waits, 'k1').state.status]).to.deep.equal([
      'incomplete',
      'active',
    ]);
    const over = afterEvents(waits, [second(6, 'incomplete_expired')], day(6));
    expect([over.subscription.state, keyNamed(over, 'k1').state.status]).to.deep.equal([
      'canceled',
      'revoked',
    ]);
    const paid = afterEvents(waits, [second(6, 'active')], day(6));
    expect([
      paid.subscription.plan,
      paid.subscription.state,
      keyNamed(paid, 'k1').state.status,
    ]).to.deep.equal(['pro', 'active', 'active']);
  });

  it('has the same state in any order of its events', () => {
    for (const list of [
      [second(3, 'incomplete'), second(3.5, 'active'), second(4, 'canceled')],
      [first(0, 'active'), second(3, 'incomplete'), second(4, 'incomplete_expired')],
      [first(0, 'canceled'), second(3, 'incomplete'), second(4, 'canceled')],
    ]) {
      const states = ordersOf(list).map((order) => shown('free', order).slice(0, 2).join(' '));
      expect([...new Set(states)]).to.have.length(1);
    }
  });

  it('gives back what a version took for which every subscription ruled', () => {
    const start = accountWithKey('free');
    const refused = { ...start, subscription: { ...start.subscription, state: 'canceled' as const } };
    const change = withPaymentEvents(refused, [second(4, 'incomplete_expired')], ALONE, processor(day(5)));
    expect([change.next.subscription.state, eventsOf(change)]).to.deep.equal([
      'active',
      ['subscription_changed'],
    ]);
  });
});

describe('A subscription that was served', () => {
  it('revokes the keys when it ends, whatever else is known of it', () => {
    expect(shown('free', [first(5, 'canceled')])).to.deep.equal(['builder', 'canceled', 'revoked']);
    for (const status of ['trialing', 'active', 'past_due', 'paused', 'unpaid'] as const) {
      const list = [first(0, 'incomplete'), first(1, status), first(5, 'canceled')];
      for (const order of ordersOf(list)) {
        const [, state] = shown('free', order);
        expect(state, status).to.equal('canceled');
      }
      expect(shown('free', list), status).to.deep.equal(['builder', 'canceled', 'revoked']);
    }
  });

  it('of which only the status is stored, as by version 0.2.0, counts by its status', () => {
    const before = afterEvents(accountWithKey('free'), [first(0, 'active')], day(1));
    expect(before.payments.subscriptions['sub_1']).not.to.have.property('served');
    const { next } = withPaymentEvents(before, [first(5, 'canceled')], ALONE, processor(day(5)));
    expect([next.subscription.state, keyNamed(next, 'k1').state.status]).to.deep.equal([
      'canceled',
      'revoked',
    ]);
  });
});
