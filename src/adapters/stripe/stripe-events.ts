import { createHash } from 'node:crypto';
import type { ReceivedEvent } from '../../application/ports/payment-inbox.js';
import type { ReadPaymentEvent } from '../../application/ports/processor.js';
import type { AccountId } from '../../domain/account.js';
import { fromEpochMillis } from '../../domain/moment.js';
import type { PaymentFact } from '../../domain/payment-event.js';
import { Misshapen, Shape } from './shape.js';
import { failureFact, type Prices, settlementFact, subscriptionFact } from './stripe-facts.js';

type ReadFact = (object: Shape, prices: Prices) => PaymentFact | null | Promise<PaymentFact | null>;

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
  'checkout.session.completed':           () => null,
};

/** What is asked for when missed events are looked for. */
export const TOLD_TYPES: readonly string[] = Object.keys(FACTS);

const ended = (fact: PaymentFact): PaymentFact =>
  fact.kind === 'subscription' && fact.status !== 'incomplete_expired'
    ? { ...fact, status: 'canceled' }
    : fact;

/** Stripe's events in our words. What cannot be read becomes an event with a fault, under an id of its own if need be. */
export const readStripeEvent =
  (prices: Prices): ReadPaymentEvent =>
  async (payload) => {
    let read: ReceivedEvent = {
      id: `unreadable_${createHash('sha256').update(payload).digest('hex').slice(0, 32)}`,
      type: 'unreadable',
      at: fromEpochMillis(0),
      customer: null,
      linksTo: null,
      fact: null,
      fault: null,
      payload,
    };
    try {
      const event = new Shape(JSON.parse(payload.toString('utf8')));
      read = { ...read, id: event.name('id') };
      read = { ...read, type: event.name('type'), at: event.moment('created') };
      const reading = FACTS[read.type];
      if (reading === undefined) return read;
      const object = event.inner('data').inner('object');
      read = { ...read, customer: object.idOrNull('customer'), linksTo: linkOf(read.type, object) };
      return { ...read, fact: await reading(object, prices) };
    } catch (fault) {
      if (fault instanceof SyntaxError) return { ...read, fault: 'the body is not JSON' };
      if (fault instanceof Misshapen) return { ...read, fault: fault.message };
      throw fault;
    }
  };

/** A checkout is opened with the account's id as its client reference. */
const linkOf = (type: string, object: Shape): AccountId | null =>
  type === 'checkout.session.completed'
    ? (object.nameOrNull('client_reference_id') as AccountId | null)
    : null;
