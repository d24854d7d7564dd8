import type { CheckoutReference } from '../../../domain/billing/checkout-reference.js';
import type { PaymentEvent } from '../../../domain/billing/payment-event.js';
import type { Moment } from '../../../domain/moment.js';
import type { ReceivedEvent } from './payment-inbox.js';

/**
 * The payment processor, asked by us. It may be away for hours: then each question throws `Unavailable`.
 */
export interface Processor {
  /** How an invoice stands, as an event; null where the processor does not know it. */
  invoice(id: string, now: Moment): Promise<PaymentEvent | null>;
  /** How a subscription stands, as an event; null where the processor does not know it. */
  subscription(id: string, now: Moment): Promise<PaymentEvent | null>;
  /** All that happened since, in no order, some at a time. */
  eventsSince(since: Moment): AsyncIterable<readonly ReceivedEvent[]>;
}

/** An event of the processor as it came, in our words. What it cannot read is an event with a fault. */
export type ReadPaymentEvent = (payload: Buffer) => Promise<ReceivedEvent>;

/** Whether the processor sent this, by one of the secrets that it shares with us, and just now (D29). */
export type IsSigned = (payload: Buffer, signature: string, now: Moment) => boolean;

/** The processor's own pages for its customers, where invoices are paid. While it is away each throws `Unavailable`. */
export interface BillingPortal {
  /** The e-mail address of a customer; null where it has none, was deleted, or is not known. */
  emailOf(customer: string): Promise<string | null>;
  /** The address of the pages of a customer, who comes back to `returnUrl`; null where the customer is not known. */
  open(customer: string, returnUrl: string): Promise<string | null>;
}

/** The address at the processor where a checkout is opened with a reference, for the person with this e-mail address. */
export type CheckoutUrl = (reference: CheckoutReference, email: string) => string;
