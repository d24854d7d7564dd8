import type { CheckoutReference } from '../../../domain/billing/checkout-reference.js';
import type { PaymentEvent } from '../../../domain/billing/payment-event.js';
import type { Moment } from '../../../domain/moment.js';
import type { ReceivedEvent } from './payment-inbox.js';

/** The API of the payment processor. It may be unavailable for hours: then each call throws `Unavailable`. */
export interface Processor {
  /** The current state of an invoice, as an event; null if the processor does not know it. */
  invoice(id: string, now: Moment): Promise<PaymentEvent | null>;
  /** The current state of a subscription, as an event; null if the processor does not know it. */
  subscription(id: string, now: Moment): Promise<PaymentEvent | null>;
  /** All events since a moment, in batches, unordered. Throws `Unavailable` if it cannot list all of them. */
  eventsSince(since: Moment): AsyncIterable<readonly ReceivedEvent[]>;
}

/** Reads the payload of an event. If it cannot, it returns an event with a fault. */
export type ReadPaymentEvent = (payload: Buffer) => Promise<ReceivedEvent>;

/** What a person recognizes an event by, in the texts of the processor; null for what the event does not have. */
export type EventDetails = {
  /** The id of its object, for example of the checkout session. */
  readonly object: string | null;
  /** What the link that opened the checkout named: a checkout reference, or another text. */
  readonly reference: string | null;
  readonly email: string | null;
};

/** Reads the details of a payload; all null if it cannot be read. */
export type ReadEventDetails = (payload: Buffer) => EventDetails;

/** Whether the processor signed this payload recently, with one of the secrets that it shares with us (D29). */
export type IsSigned = (payload: Buffer, signature: string, now: Moment) => boolean;

/** The pages of the processor where customers pay invoices. While it is unavailable, both methods throw `Unavailable`. */
export interface BillingPortal {
  /** The email address of a customer; null if the customer has none, was deleted, or is not known. */
  emailOf(customer: string): Promise<string | null>;
  /** The URL of the pages for a customer, with a link back to `returnUrl`; null if the customer is not known. */
  open(customer: string, returnUrl: string): Promise<string | null>;
}

/** The URL at the processor that opens a checkout with a reference and this email address. */
export type CheckoutUrl = (reference: CheckoutReference, email: string) => string;

/** The URL of the page at the processor that shows a customer to its operator. */
export type CustomerPage = (customer: string) => string;
