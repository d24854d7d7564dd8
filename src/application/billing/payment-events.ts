import type { BillingRules } from '../../domain/billing/account-payments.js';
import type { PaymentInbox, Receipt, ReceivedEvent } from '../ports/billing/payment-inbox.js';
import type { Clock } from '../ports/clock.js';
import { applyPaymentEvent } from './apply-payment-event.js';
import { storedLink } from './event-outcome.js';

/** Waiting events applied at a time. */
const BATCH = 100;

/** What becomes of an event, for those who count. */
export type NoteReceipt = (receipt: Receipt, event: ReceivedEvent) => void;

type PaymentEventsParts = {
  readonly inbox: PaymentInbox;
  readonly billingRules: BillingRules;
  readonly clock: Clock;
  readonly note: NoteReceipt;
};

/**
 * Takes in events of the processor (D29).
 *
 * An event and the account it is about may become known at the same time, each without sight of the other: who
 * writes one looks for the other afterwards, so that one of the two finds it.
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
    const isNewHere = receipt.state === 'waiting' || (receipt.account !== null && event.link !== null);
    if (isNewHere && event.customer !== null) await this.applyWaiting(event.customer);
    return receipt;
  }

  async replay(event: ReceivedEvent): Promise<Receipt | null> {
    const { inbox, billingRules, clock, note } = this.#parts;
    const receipt = await inbox.replay(event, applyPaymentEvent(billingRules, clock()));
    if (receipt !== null) note(receipt, event);
    return receipt;
  }

  /** What waited for an account to be linked to its customer: of one customer, or of all. */
  async applyWaiting(customer: string | null): Promise<void> {
    for (;;) {
      const events = await this.#parts.inbox.linked(customer, BATCH);
      for (const event of events) await this.replay({ ...event, link: storedLink(event) });
      if (events.length < BATCH) return;
    }
  }
}
