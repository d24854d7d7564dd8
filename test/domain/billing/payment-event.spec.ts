import { expect } from 'chai';
import fc from 'fast-check';
import {
  mergeEvent,
  NO_PAYMENT_FACTS,
  type PaymentEvent,
  type PaymentFact,
  type PaymentFacts,
  PROCESSOR_STATUSES,
} from '../../../src/domain/billing/payment-event.js';
import { PLAN_NAMES } from '../../../src/domain/billing/plan.js';
import { type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON, runs } from '../../support/objects/builders.js';

const at = (seconds: number): Moment => plus(NOON, seconds * SECOND);
const known = (events: readonly PaymentEvent[]): PaymentFacts => events.reduce(mergeEvent, NO_PAYMENT_FACTS);

type Fact<Kind extends PaymentFact['kind']> = Extract<PaymentFact, { kind: Kind }>;

const subscription = (fact: Partial<Fact<'subscription'>> = {}): PaymentFact => ({
  kind: 'subscription',
  subscription: 'sub_1',
  startedAt: NOON,
  status: 'active',
  plan: 'pro',
  terms: { trialEndsAt: null, periodEndsAt: null },
  ...fact,
});
const failed = (attempts: number, fact: Partial<Fact<'payment_failed'>> = {}): PaymentFact => ({
  kind: 'payment_failed',
  invoice: 'in_1',
  subscription: 'sub_1',
  attempts,
  nextAttemptAt: null,
  isFirstInvoice: false,
  ...fact,
});
const settled = (settlement: Fact<'invoice_settled'>['settlement'], invoice = 'in_1'): PaymentFact => ({
  kind: 'invoice_settled',
  invoice,
  subscription: 'sub_1',
  settlement,
});

let events = 0;
const event = (seconds: number, fact: PaymentFact, id?: string): PaymentEvent => {
  events += 1;
  return { id: id ?? `evt_${String(events).padStart(6, '0')}`, at: at(seconds), fact };
};

const statusAfter = (...list: readonly PaymentEvent[]) => known(list).subscriptions['sub_1']?.status.value;
const settlementAfter = (...list: readonly PaymentEvent[]) => known(list).invoices['in_1']?.settlement?.value;
const bothWays = <T>(of: (...list: readonly PaymentEvent[]) => T, a: PaymentEvent, b: PaymentEvent) => [
  of(a, b),
  of(b, a),
];

/** D29: events may come late, twice and in any order; the final facts are the same. */
describe('Payment facts', () => {
  const moments = fc.nat(4).map(at);
  const subscriptions = fc.constantFrom('sub_1', 'sub_2');
  const invoices = fc.constantFrom('in_1', 'in_2', 'in_3');
  const facts: fc.Arbitrary<PaymentFact> = fc.oneof(
    fc.record(
      {
        kind: fc.constant('subscription' as const),
        subscription: subscriptions,
        startedAt: moments,
        status: fc.constantFrom(...PROCESSOR_STATUSES),
        plan: fc.option(fc.constantFrom(...PLAN_NAMES), { nil: null }),
        terms: fc.record({ trialEndsAt: fc.option(moments, { nil: null }), periodEndsAt: fc.constant(null) }),
        reports: fc.constantFrom('creation' as const, 'terms' as const),
        previously: fc.record(
          { status: fc.constantFrom(...PROCESSOR_STATUSES), plan: fc.constantFrom(...PLAN_NAMES) },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: ['kind', 'subscription', 'startedAt', 'status', 'plan', 'terms'] },
    ),
    fc.record<Fact<'payment_failed'>>({
      kind: fc.constant('payment_failed'),
      invoice: invoices,
      subscription: subscriptions,
      attempts: fc.integer({ min: 1, max: 6 }),
      nextAttemptAt: fc.option(moments, { nil: null }),
      isFirstInvoice: fc.boolean(),
    }),
    fc.record<Fact<'invoice_settled'>>({
      kind: fc.constant('invoice_settled'),
      invoice: invoices,
      subscription: subscriptions,
      settlement: fc.constantFrom('paid', 'voided', 'uncollectible'),
    }),
    fc.record<Fact<'invoice_open'>>({
      kind: fc.constant('invoice_open'),
      invoice: invoices,
      subscription: subscriptions,
    }),
  );
  /** A stream of distinct events, several of them in the same second. */
  const streams = fc
    .array(fc.record({ at: moments, fact: facts }), { maxLength: 12 })
    .map((list) => list.map((one, i): PaymentEvent => ({ id: `evt_${String(i).padStart(2, '0')}`, ...one })));

  it('are the same in the end in any order of the events, with repetitions', () => {
    const delivered = streams.chain((stream) =>
      fc.tuple(
        fc.constant(stream),
        fc
          .array(fc.nat(Math.max(0, stream.length - 1)), { maxLength: stream.length === 0 ? 0 : 12 })
          .map((again) => [...stream, ...again.flatMap((i) => stream[i] ?? [])])
          .chain((all) => fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
      ),
    );
    fc.assert(
      fc.property(delivered, ([stream, shuffled]) => {
        expect(known(shuffled)).to.deep.equal(known(stream));
      }),
      runs(2_000),
    );
  });

  it('are the same in whatever order batches are merged', () => {
    fc.assert(
      fc.property(streams, fc.nat(12), (stream, cut) => {
        const rest = stream.slice(cut);
        expect(rest.reduce(mergeEvent, known(stream.slice(0, cut)))).to.deep.equal(known(stream));
      }),
      runs(500),
    );
  });

  it('are changed by a newer event, never by an older one', () => {
    const [older, newer] = [
      event(1, subscription({ status: 'past_due' })),
      event(2, subscription({ status: 'active' })),
    ];
    expect(bothWays(statusAfter, older, newer)).to.deep.equal(['active', 'active']);
  });

  it('are decided by the event id if two events have the same second', () => {
    const [one, other] = [
      event(1, subscription({ status: 'paused' }), 'evt_a'),
      event(1, subscription({ status: 'active' }), 'evt_b'),
    ];
    expect(bothWays(statusAfter, one, other)).to.deep.equal(['active', 'active']);
  });

  it('never restart a subscription that has ended, whatever is newer', () => {
    const [ended, newer] = [
      event(1, subscription({ status: 'canceled' })),
      event(2, subscription({ status: 'active' })),
    ];
    expect(bothWays(statusAfter, ended, newer)).to.deep.equal(['canceled', 'canceled']);
  });

  it('have the end of a subscription at the first event that reports it', () => {
    const [first, second] = [
      event(1, subscription({ status: 'canceled' })),
      event(2, subscription({ status: 'canceled' })),
    ];
    for (const list of [
      [first, second],
      [second, first],
    ]) {
      expect(known(list).subscriptions['sub_1']?.status.at).to.equal(at(1));
    }
  });

  it('never reopen a paid or voided invoice, and close a written-off one once it is paid', () => {
    for (const final of ['paid', 'voided'] as const) {
      const [settling, later] = [event(1, settled(final)), event(2, settled('uncollectible'))];
      expect(bothWays(settlementAfter, settling, later)).to.deep.equal([final, final]);
      const [written, paid] = [event(1, settled('uncollectible')), event(2, settled(final))];
      expect(bothWays(settlementAfter, written, paid)).to.deep.equal([final, final]);
    }
  });

  it('keep the plan that was named last, even if a later event names none of our plans', () => {
    const plan = (...list: readonly PaymentEvent[]) => known(list).subscriptions['sub_1']?.plan?.value;
    const [free, pro, none] = [
      event(1, subscription({ plan: 'free' })),
      event(2, subscription({ plan: 'pro' })),
      event(3, subscription({ plan: null })),
    ];
    expect([plan(free, pro, none), plan(none, pro, free), plan(none)]).to.deep.equal([
      'pro',
      'pro',
      undefined,
    ]);
  });

  it('keep each failed attempt once, by its number, from its earliest event', () => {
    const facts = known([event(5, failed(2)), event(1, failed(1)), event(6, failed(2)), event(5, failed(2))]);
    const failures = Object.entries(facts.invoices['in_1']?.failures ?? {});
    expect(failures.map(([attempts, attempt]) => [attempts, attempt.at])).to.deep.equal([
      ['1', at(1)],
      ['2', at(5)],
    ]);
  });

  it('keep different invoices and subscriptions apart', () => {
    const facts = known([
      event(1, failed(1)),
      event(2, failed(1, { invoice: 'in_2' })),
      event(3, settled('paid')),
      event(4, subscription({ subscription: 'sub_2', status: 'canceled' })),
      event(5, subscription()),
    ]);
    expect(facts.invoices['in_1']?.settlement?.value).to.equal('paid');
    expect(facts.invoices['in_2']?.settlement).to.equal(null);
    expect(facts.subscriptions['sub_1']?.status.value).to.equal('active');
    expect(facts.subscriptions['sub_2']?.status.value).to.equal('canceled');
  });
});
