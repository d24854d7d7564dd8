import { createHash } from 'node:crypto';
import type { ReceivedEvent } from '../../application/ports/billing/payment-inbox.js';
import type { ReadPaymentEvent } from '../../application/ports/billing/processor.js';
import type { ReferenceSigner } from '../../application/ports/billing/reference-signer.js';
import { type CheckoutLink, readCheckoutLink } from '../../domain/billing/checkout-reference.js';
import type { PaymentFact } from '../../domain/billing/payment-event.js';
import { fromEpochMillis } from '../../domain/moment.js';
import { ownValue } from '../../domain/own-value.js';
import { JsonReader, ParseError } from './json-reader.js';
import {
  creationFact,
  deletionFact,
  failureFact,
  type Prices,
  settlementFact,
  subscriptionFact,
  trialEndFact,
} from './stripe-facts.js';

/** Reads the object of an event. `previous` has its attributes before the event, as far as they changed. */
type ReadFact = (
  object: JsonReader,
  prices: Prices,
  previous: JsonReader | null,
) => PaymentFact | null | Promise<PaymentFact | null>;

const CHECKOUT = 'checkout.session.completed';
const DISPUTE = 'charge.dispute.closed';

/** The event types that can change an account (D29). A completed checkout only links a customer to it. */
// biome-ignore format: a table is read by its columns
const FACTS: Readonly<Record<string, ReadFact>> = {
  'customer.subscription.created':        creationFact,
  'customer.subscription.updated':        subscriptionFact,
  'customer.subscription.paused':         subscriptionFact,
  'customer.subscription.resumed':        subscriptionFact,
  'customer.subscription.trial_will_end': trialEndFact,
  'customer.subscription.deleted':        deletionFact,
  'invoice.payment_failed':               failureFact,
  'invoice.paid':                         (invoice) => settlementFact(invoice, 'paid'),
  'invoice.payment_succeeded':            (invoice) => settlementFact(invoice, 'paid'),
  'invoice.voided':                       (invoice) => settlementFact(invoice, 'voided'),
  'invoice.marked_uncollectible':         (invoice) => settlementFact(invoice, 'uncollectible'),
  [CHECKOUT]:                             () => null,
};

/** The event types that a reconciliation requests. */
export const HANDLED_TYPES: readonly string[] = Object.keys(FACTS);

/**
 * Translates Stripe events. A payload that cannot be parsed becomes an event with a fault, and with an id from its hash
 * if it has none. `isSigned` returns whether this service signed a checkout reference.
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
      if (read.type === DISPUTE) return { ...read, ...lostDispute(event.inner('data').inner('object')) };
      const readFact = ownValue(FACTS, read.type);
      if (readFact === undefined) return { ...read, customer: customerOf(event) };
      const data = event.inner('data');
      const object = data.inner('object');
      read = { ...read, customer: object.idOrNull('customer') };
      read = { ...read, link: linkOf(read, object, isSigned) };
      return { ...read, fact: await readFact(object, prices, data.innerOrNull('previous_attributes')) };
    } catch (fault) {
      if (fault instanceof SyntaxError) return { ...read, fault: 'the body is not JSON' };
      if (fault instanceof ParseError) return { ...read, fault: fault.message };
      throw fault;
    }
  };

/**
 * A dispute that the operator lost changes no access: the state of the subscription decides, and a person decides about the
 * customer. A refund tells nothing about a subscription. A dispute names its charge, and no customer.
 */
function lostDispute(dispute: JsonReader): Pick<ReceivedEvent, 'notUsed'> | null {
  if (dispute.textOrNull('status') !== 'lost') return null;
  const charge = dispute.idOrNull('charge') ?? 'unknown';
  return {
    notUsed: `the dispute of charge ${charge} was lost, and its money is gone; nothing was changed: find its customer at the processor, and decide whether to cancel the subscription or to set a hold`,
  };
}

/** The customer of an event that is not used; null if it has none that can be read. */
function customerOf(event: JsonReader): string | null {
  try {
    const object = event.inner('data').inner('object');
    return object.textOrNull('object') === 'customer' ? object.nameOrNull('id') : object.idOrNull('customer');
  } catch (fault) {
    if (fault instanceof ParseError) return null;
    throw fault;
  }
}

/**
 * The reference is the text in the URL that opened the checkout. It must be valid when the checkout is opened, not when
 * the checkout is completed. A checkout without a customer, such as a single payment, links no account.
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
