import { LRUCache } from 'lru-cache';
import type Stripe from 'stripe';
import type {
  BillingPortal,
  Processor,
  ReadPaymentEvent,
} from '../../application/ports/billing/processor.js';
import { Unavailable } from '../../application/unavailable.js';
import type { PaymentEvent } from '../../domain/billing/payment-event.js';
import type { PlanName } from '../../domain/billing/plan.js';
import { epochSeconds, type Moment } from '../../domain/moment.js';
import { JsonReader } from './json-reader.js';
import { HANDLED_TYPES } from './stripe-events.js';
import { type Prices, settlementFact, subscriptionFact, subscriptionOf } from './stripe-facts.js';
import { stripeLibrary } from './stripe-library.js';
import { type PlanOfProduct, planOfMetadata } from './stripe-plans.js';
import { tracedHttpClient } from './traced-http-client.js';

const ANSWER_MS = 5_000;
const PAGE = 100;
const PRODUCTS_MAX = 1_000;
/**
 * How long the plan of a product is cached: long enough to avoid a query for each event, and short enough to notice a
 * plan that is added later.
 */
const PRODUCT_MS = 60_000;

/** A client of Stripe's API, without the retries of the library: each caller decides when to retry. */
export function stripeClient(key: string, url: string): Stripe {
  const { protocol, hostname, port } = new URL(url);
  const isPlain = protocol === 'http:';
  const library = stripeLibrary();
  return new library(key, {
    httpClient: tracedHttpClient(library),
    host: hostname,
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
    protocol: isPlain ? 'http' : 'https',
    timeout: ANSWER_MS,
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

export function planOfStripeProduct(client: Stripe): PlanOfProduct {
  const known = new LRUCache<string, { readonly plan: PlanName | null }>({
    max: PRODUCTS_MAX,
    ttl: PRODUCT_MS,
  });
  return async (id) => {
    const kept = known.get(id);
    if (kept !== undefined) return kept.plan;
    const product = await withErrorMapping(() => client.products.retrieve(id));
    const plan = product === null ? null : planOfMetadata(new JsonReader(product));
    known.set(id, { plan });
    return plan;
  };
}

export function stripeProcessor(client: Stripe, prices: Prices, read: ReadPaymentEvent): Processor {
  return {
    async invoice(id, now) {
      const answer = await withErrorMapping(() => client.invoices.retrieve(id));
      return answer === null ? null : invoiceEvent(new JsonReader(answer), now);
    },

    async subscription(id, now) {
      const answer = await withErrorMapping(() => client.subscriptions.retrieve(id));
      if (answer === null) return null;
      const fact = await subscriptionFact(new JsonReader(answer), prices);
      return { id: `asked_${id}_${now}`, at: now, fact };
    },

    async *eventsSince(since) {
      const created = { gte: epochSeconds(since) };
      for (let after: string | undefined; ; ) {
        const page = await withErrorMapping(() =>
          client.events.list({
            created,
            limit: PAGE,
            types: [...HANDLED_TYPES],
            ...(after !== undefined && { starting_after: after }),
          }),
        );
        // The event after which the page begins was deleted meanwhile. The next run begins with the newest event again.
        if (page === null)
          throw new Unavailable('the payment processor', new Error('a page of events is gone'));
        yield await Promise.all(page.data.map((event) => read(Buffer.from(JSON.stringify(event)))));
        after = page.data.at(-1)?.id;
        if (!page.has_more || after === undefined) return;
      }
    },
  };
}

export const stripePortal = (client: Stripe): BillingPortal => ({
  /** For a deleted customer, Stripe returns only the id. */
  async emailOf(customer) {
    const answer = await withErrorMapping(() => client.customers.retrieve(customer));
    return answer === null ? null : new JsonReader(answer).textOrNull('email');
  },

  async open(customer, returnUrl) {
    const session = await withErrorMapping(() =>
      client.billingPortal.sessions.create({ customer, return_url: returnUrl }),
    );
    return session?.url ?? null;
  },
});

/**
 * The state of an invoice as an event. Its time is that of the change of state if the processor reports it, else `now`.
 */
function invoiceEvent(invoice: JsonReader, now: Moment): PaymentEvent | null {
  const id = invoice.name('id');
  const transitionAt = (name: string) =>
    invoice.has('status_transitions') ? invoice.inner('status_transitions').momentOrNull(name) : null;
  const settled = (settlement: 'paid' | 'voided', at: Moment | null): PaymentEvent | null => {
    const fact = settlementFact(invoice, settlement);
    return fact === null ? null : { id: `asked_${id}_${settlement}`, at: at ?? now, fact };
  };
  switch (invoice.textOrNull('status')) {
    case 'paid':
      return settled('paid', transitionAt('paid_at'));
    case 'void':
      return settled('voided', transitionAt('voided_at'));
    default: {
      const subscription = subscriptionOf(invoice);
      if (subscription === null) return null;
      return { id: `asked_${id}_${now}`, at: now, fact: { kind: 'invoice_open', invoice: id, subscription } };
    }
  }
}

/** Null if the processor does not know the object. Any other error throws `Unavailable`. */
async function withErrorMapping<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await ask();
  } catch (fault) {
    if (isUnknown(fault as StripeFault)) return null;
    throw new Unavailable('the payment processor', fault);
  }
}

type StripeFault = { readonly statusCode?: number; readonly code?: string };

/** Stripe returns 404 for an unknown object in the path, and 400 with a code for one in the parameters, like a customer. */
const isUnknown = ({ statusCode, code }: StripeFault): boolean =>
  statusCode === 404 || code === 'resource_missing';
