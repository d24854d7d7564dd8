import { SeededRandom } from '../../../src/adapters/sample/seeded-random.js';
import {
  type StripeEvent,
  stripeEvent,
  stripeInvoice,
  stripeSubscription,
} from '../objects/stripe-objects.js';

const DAY = 86_400;
const PLANS = ['free', 'builder', 'pro'] as const;

/** Whose life a stream tells: a customer with a subscription, and perhaps a second one after it. */
export const streamCustomer = (n: number): string => `cus_stream_${String(n).padStart(5, '0')}`;

/**
 * What a processor says of so many customers over 28 days from `start` (seconds since 1970), in the order it
 * happened: subscriptions that begin, change, are paused, end and begin again; invoices that fail, are paid,
 * written off or left open. The same for the same seed.
 */
export function webhookStream(customers: number, start: number, seed = 1): readonly StripeEvent[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: customers }, (_, n) => lifeOf(n, start, random))
    .flat()
    .sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));
}

/** The same events in another order, and so many of them (0 to 1) twice. */
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
  const say = (type: string, object: object) => {
    events.push(stripeEvent(type, object, at, `evt_stream_${n}_${String(events.length).padStart(3, '0')}`));
    at += random.whole(60, 2 * DAY);
  };
  const live = (index: number, months: number) => {
    const subscription = `sub_stream_${n}_${index}`;
    const [created, plan] = [at, random.pick(PLANS)];
    const tells = (what: string, status: string, lookupKey: string = plan) =>
      say(
        `customer.subscription.${what}`,
        stripeSubscription({ id: subscription, customer, status, created, lookupKey }),
      );
    tells('created', random.pick(['active', 'trialing']));
    for (let month = 0; month < months; month += 1) {
      const invoice = `in_stream_${n}_${index}_${month}`;
      const invoiceOf = { id: invoice, customer, subscription, isOld: n % 2 === 0 };
      const attempts = random.whole(0, 5);
      for (let attempt = 1; attempt <= attempts; attempt += 1) {
        say('invoice.payment_failed', stripeInvoice({ ...invoiceOf, attempts: attempt }));
        if (attempt === 1) tells('updated', 'past_due');
      }
      const settled =
        attempts === 0
          ? 'paid'
          : random.pick(['paid', 'paid', 'payment_succeeded', 'voided', 'open', 'marked_uncollectible']);
      if (settled !== 'open') say(`invoice.${settled}`, stripeInvoice({ ...invoiceOf, attempts }));
      tells('updated', random.pick(['active', 'active', 'active', 'paused', 'unpaid']), random.pick(PLANS));
    }
    return tells;
  };
  const tells = live(0, random.whole(1, 2));
  if (random.chance(0.3)) {
    tells('deleted', 'canceled');
    if (random.chance(0.5)) live(1, 1);
  }
  return events;
}
