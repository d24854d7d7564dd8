import {
  type PaymentFact,
  PROCESSOR_STATUSES,
  type ProcessorStatus,
  type Settlement,
} from '../../domain/billing/payment-event.js';
import { highestPlan, type PlanName, type PriceMap } from '../../domain/billing/plan.js';
import { type JsonReader, ParseError } from './json-reader.js';
import { type PlanOfProduct, planOfPrice } from './stripe-plans.js';

/** The sources of the plan of a price. */
export type Prices = { readonly prices: PriceMap; readonly planOfProduct: PlanOfProduct };

type SubscriptionFact = Extract<PaymentFact, { kind: 'subscription' }>;

/**
 * The fact in a subscription object of any API version. It does not depend on whether the items can be read. `previous` are
 * the values before the event, if it names some.
 */
export async function subscriptionFact(
  subscription: JsonReader,
  prices: Prices,
  previous: JsonReader | null = null,
): Promise<SubscriptionFact> {
  const fact = await factWithStatus(subscription, statusOf(subscription), prices);
  if (previous === null) return fact;
  const status = PROCESSOR_STATUSES.find((one) => one === previous.textOrNull('status'));
  const plan = await planOfItems(itemsOf(previous), prices);
  const previously = { ...(status !== undefined && { status }), ...(plan !== null && { plan }) };
  return Object.keys(previously).length === 0 ? fact : { ...fact, previously };
}

export const creationFact = async (subscription: JsonReader, prices: Prices): Promise<SubscriptionFact> => ({
  ...(await subscriptionFact(subscription, prices)),
  reports: 'creation',
});

/** A trial that will end: what the event says about the state may be from before other events of the same second. */
export const trialEndFact = async (subscription: JsonReader, prices: Prices): Promise<SubscriptionFact> => ({
  ...(await subscriptionFact(subscription, prices)),
  reports: 'terms',
});

/** The fact in the object of a deletion: it has ended, whatever its status says. */
export const deletionFact = async (subscription: JsonReader, prices: Prices): Promise<SubscriptionFact> =>
  factWithStatus(
    subscription,
    subscription.textOrNull('status') === 'incomplete_expired' ? 'incomplete_expired' : 'canceled',
    prices,
  );

async function factWithStatus(
  subscription: JsonReader,
  status: ProcessorStatus,
  prices: Prices,
): Promise<SubscriptionFact> {
  const items = itemsOf(subscription);
  const periodEnds = [subscription, ...items].flatMap(
    (reader) => reader.readableMoment('current_period_end') ?? [],
  );
  return {
    kind: 'subscription',
    subscription: subscription.name('id'),
    startedAt: subscription.moment('created'),
    status,
    plan: await planOfItems(items, prices),
    terms: {
      trialEndsAt: subscription.momentOrNull('trial_end'),
      periodEndsAt: periodEnds.sort().at(-1) ?? null,
    },
  };
}

const itemsOf = (subscription: JsonReader): readonly JsonReader[] =>
  subscription.innerOrNull('items')?.objectsIn('data') ?? [];

/** If several items name a plan, the highest plan is used. */
async function planOfItems(
  items: readonly JsonReader[],
  { prices, planOfProduct }: Prices,
): Promise<PlanName | null> {
  const plans: PlanName[] = [];
  for (const item of items) {
    const price = item.innerOrNull('price');
    const plan = price === null ? null : await planOfPrice(price, prices, planOfProduct);
    if (plan !== null) plans.push(plan);
  }
  return highestPlan(plans);
}

/** A failed attempt to pay an invoice. Null if the invoice does not belong to a subscription. */
export function failureFact(invoice: JsonReader): PaymentFact | null {
  const subscription = subscriptionOf(invoice);
  if (subscription === null) return null;
  return {
    kind: 'payment_failed',
    invoice: invoice.name('id'),
    subscription,
    attempts: Math.max(1, invoice.whole('attempt_count')),
    nextAttemptAt: invoice.momentOrNull('next_payment_attempt'),
    isFirstInvoice: invoice.textOrNull('billing_reason') === 'subscription_create',
  };
}

export function settlementFact(invoice: JsonReader, settlement: Settlement): PaymentFact | null {
  const subscription = subscriptionOf(invoice);
  return subscription === null
    ? null
    : { kind: 'invoice_settled', invoice: invoice.name('id'), subscription, settlement };
}

/** Older API versions have the subscription on the invoice, newer ones on its parent. */
export function subscriptionOf(invoice: JsonReader): string | null {
  const own = invoice.idOrNull('subscription');
  if (own !== null || !invoice.has('parent')) return own;
  const parent = invoice.inner('parent');
  return parent.has('subscription_details')
    ? parent.inner('subscription_details').idOrNull('subscription')
    : null;
}

function statusOf(subscription: JsonReader): ProcessorStatus {
  const status = subscription.name('status');
  const known = PROCESSOR_STATUSES.find((one) => one === status);
  if (known === undefined) throw new ParseError(`the subscription status ${status} is unknown`);
  return known;
}
