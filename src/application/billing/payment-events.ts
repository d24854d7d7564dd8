import type { BillingRules } from '../../domain/billing/account-payments.js';
import type { PaymentInbox, Receipt, ReceivedEvent } from '../ports/billing/payment-inbox.js';
import type { Clock } from '../ports/clock.js';
import { applyPaymentEvent } from './apply-payment-event.js';
import { storedLink } from './event-outcome.js';

/** Waiting events applied at a time. */
const BATCH = 100;

/** Called with the outcome of each event, for metrics and logs. */
export type NoteReceipt = (receipt: Receipt, event: ReceivedEvent) => void;

type PaymentEventsParts = {
  readonly inbox: PaymentInbox;
  readonly billingRules: BillingRules;
  readonly clock: Clock;
  readonly note: NoteReceipt;
};

/**
 * Receives and replays events of the processor (D29).
 *
 * An event may arrive while its account is being linked, and neither transaction sees the other. After its commit, each
 * of the two therefore looks for waiting events of linked customers, so that at least one applies the event.
 */
export class PaymentEvents {
  readonly #parts: PaymentEventsParts;

  constructor(parts: PaymentEventsParts) {
    this.#parts = parts;
  }

  async receive(event: ReceivedEvent): Promise<Receipt> {
    const { inbox, billingRules, clock, note } = this.#parts;
    const now = clock();
    const receipt = await inbox.receive(event, now, applyPaymentEvent(billingRules, now));
    note(receipt, event);
    const mayHaveLinked = receipt.state === 'waiting' || (receipt.account !== null && event.link !== null);
    if (mayHaveLinked && event.customer !== null) await this.applyWaiting(event.customer);
    return receipt;
  }

  async replay(event: ReceivedEvent): Promise<Receipt | null> {
    const { inbox, billingRules, clock, note } = this.#parts;
    const now = clock();
    const receipt = await inbox.replay(event, now, applyPaymentEvent(billingRules, now));
    if (receipt !== null) note(receipt, event);
    return receipt;
  }

  /** Applies waiting events whose customer is linked now: of one customer, or of all if `customer` is null. */
  async applyWaiting(customer: string | null): Promise<void> {
    for (;;) {
      const events = await this.#parts.inbox.linked(customer, BATCH);
      for (const event of events) await this.replay({ ...event, link: storedLink(event) });
      if (events.length < BATCH) return;
    }
  }
}
