import { SeededRandom } from '../../../src/domain/stories/seeded-random.js';
import {
  type StripeEvent,
  stripeEvent,
  stripeInvoice,
  stripeSubscription,
} from '../objects/stripe-objects.js';

const DAY = 86_400;
const PLANS = ['free', 'builder', 'pro'] as const;

/** The id of the nth customer of a stream, who has a subscription and perhaps a later second one. */
export const streamCustomer = (n: number): string => `cus_stream_${String(n).padStart(5, '0')}`;

/**
 * The payment events of `customers` customers over 28 days from `start` (Unix time in seconds), in order: subscriptions
 * start, change, pause, end and start again; invoices fail, are paid, written off or stay open. The same seed gives the
 * same events.
 */
export function webhookStream(customers: number, start: number, seed = 1): readonly StripeEvent[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: customers }, (_, n) => lifeOf(n, start, random))
    .flat()
    .sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));
}

/** The events in random order, and a share `twice` of them (0 to 1) repeated. */
export function disturbed(events: readonly StripeEvent[], twice: number, seed = 2): readonly StripeEvent[] {
  const random = new SeededRandom(seed);
  const all = [...events, ...events.filter(() => random.chance(twice))];
  for (let i = all.length - 1; i > 0; i -= 1) {
    const j = random.whole(0, i);
    const [one, other] = [all[i], all[j]];
    if (one !== undefined && other !== undefined) [all[i], all[j]] = [other, one];
  }
  return all;
}

function lifeOf(n: number, start: number, random: SeededRandom): readonly StripeEvent[] {
  const customer = streamCustomer(n);
  const events: StripeEvent[] = [];
  let at = start + random.whole(0, DAY);
  const emit = (type: string, object: object) => {
    events.push(stripeEvent(type, object, at, `evt_stream_${n}_${String(events.length).padStart(3, '0')}`));
    at += random.whole(60, 2 * DAY);
  };
  const live = (index: number, months: number) => {
    const subscription = `sub_stream_${n}_${index}`;
    const [created, plan] = [at, random.pick(PLANS)];
    const change = (verb: string, status: string, lookupKey: string = plan) =>
      emit(
        `customer.subscription.${verb}`,
        stripeSubscription({ id: subscription, customer, status, created, lookupKey }),
      );
    change('created', random.pick(['active', 'trialing']));
    for (let month = 0; month < months; month += 1) {
      const invoice = `in_stream_${n}_${index}_${month}`;
      const invoiceOf = { id: invoice, customer, subscription, isOld: n % 2 === 0 };
      const attempts = random.whole(0, 5);
      for (let attempt = 1; attempt <= attempts; attempt += 1) {
        emit('invoice.payment_failed', stripeInvoice({ ...invoiceOf, attempts: attempt }));
        if (attempt === 1) change('updated', 'past_due');
      }
      const settled =
        attempts === 0
          ? 'paid'
          : random.pick(['paid', 'paid', 'payment_succeeded', 'voided', 'open', 'marked_uncollectible']);
      if (settled !== 'open') emit(`invoice.${settled}`, stripeInvoice({ ...invoiceOf, attempts }));
      change('updated', random.pick(['active', 'active', 'active', 'paused', 'unpaid']), random.pick(PLANS));
    }
    return change;
  };
  const change = live(0, random.whole(1, 2));
  if (random.chance(0.3)) {
    change('deleted', 'canceled');
    if (random.chance(0.5)) live(1, 1);
  }
  return events;
}
