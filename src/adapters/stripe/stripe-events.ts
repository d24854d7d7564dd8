import { createHash } from 'node:crypto';
import type { ReceivedEvent } from '../../application/ports/billing/payment-inbox.js';
import type { ReadPaymentEvent } from '../../application/ports/billing/processor.js';
import type { ReferenceSigner } from '../../application/ports/billing/reference-signer.js';
import { type CheckoutLink, readCheckoutLink } from '../../domain/billing/checkout-reference.js';
import type { PaymentFact } from '../../domain/billing/payment-event.js';
import { fromEpochMillis } from '../../domain/moment.js';
import { ownValue } from '../../domain/own-value.js';
import { JsonReader, ParseError } from './json-reader.js';
import { failureFact, type Prices, settlementFact, subscriptionFact } from './stripe-facts.js';

type ReadFact = (object: JsonReader, prices: Prices) => PaymentFact | null | Promise<PaymentFact | null>;

const CHECKOUT = 'checkout.session.completed';

/** The events that tell something (D29). A session that completed tells only whose customer it is. */
// biome-ignore format: a table is read by its columns
const FACTS: Readonly<Record<string, ReadFact>> = {
  'customer.subscription.created':        subscriptionFact,
  'customer.subscription.updated':        subscriptionFact,
  'customer.subscription.paused':         subscriptionFact,
  'customer.subscription.resumed':        subscriptionFact,
  'customer.subscription.trial_will_end': subscriptionFact,
  'customer.subscription.deleted':        async (object, prices) => ended(await subscriptionFact(object, prices)),
  'invoice.payment_failed':               failureFact,
  'invoice.paid':                         (invoice) => settlementFact(invoice, 'paid'),
  'invoice.payment_succeeded':            (invoice) => settlementFact(invoice, 'paid'),
  'invoice.voided':                       (invoice) => settlementFact(invoice, 'voided'),
  'invoice.marked_uncollectible':         (invoice) => settlementFact(invoice, 'uncollectible'),
  [CHECKOUT]:                             () => null,
};

/** What is asked for when missed events are looked for. */
export const HANDLED_TYPES: readonly string[] = Object.keys(FACTS);

const ended = (fact: PaymentFact): PaymentFact =>
  fact.kind === 'subscription' && fact.status !== 'incomplete_expired'
    ? { ...fact, status: 'canceled' }
    : fact;

/**
 * Stripe's events in our words. What cannot be read becomes an event with a fault, under an id of its own if need be.
 * `isSigned` says whether a checkout reference is ours.
 */
export const readStripeEvent =
  (prices: Prices, isSigned: ReferenceSigner['isSigned']): ReadPaymentEvent =>
  async (payload) => {
    let read: ReceivedEvent = {
      id: `unreadable_${createHash('sha256').update(payload).digest('hex').slice(0, 32)}`,
      type: 'unreadable',
      at: fromEpochMillis(0),
      customer: null,
      link: null,
      fact: null,
      fault: null,
      payload,
    };
    try {
      const event = new JsonReader(JSON.parse(payload.toString('utf8')));
      read = { ...read, id: event.name('id') };
      read = { ...read, type: event.name('type'), at: event.moment('created') };
      const reading = ownValue(FACTS, read.type);
      if (reading === undefined) return read;
      const object = event.inner('data').inner('object');
      read = { ...read, customer: object.idOrNull('customer') };
      read = { ...read, link: linkOf(read, object, isSigned) };
      return { ...read, fact: await reading(object, prices) };
    } catch (fault) {
      if (fault instanceof SyntaxError) return { ...read, fault: 'the body is not JSON' };
      if (fault instanceof ParseError) return { ...read, fault: fault.message };
      throw fault;
    }
  };

/**
 * The reference is whatever the checkout was opened with; the time is when that was, not when it was completed. A checkout
 * without a customer, like a single payment, has nobody to link.
 */
const linkOf = (
  { type, customer }: ReceivedEvent,
  session: JsonReader,
  isSigned: ReferenceSigner['isSigned'],
): CheckoutLink | null =>
  type !== CHECKOUT || customer === null
    ? null
    : readCheckoutLink(
        session.textOrNull('client_reference_id') ?? '',
        () => session.moment('created'),
        isSigned,
      );
