import type { BillingRules } from '../../domain/billing/account-payments.js';
import type { PaymentInbox, Receipt, ReceivedEvent } from '../ports/billing/payment-inbox.js';
import type { Clock } from '../ports/clock.js';
import type { ReportFailure } from '../report-failure.js';
import { Unavailable } from '../unavailable.js';
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
  readonly reportFailure: ReportFailure;
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

  /**
   * Receives a batch of events. An event that fails does not prevent the others: its fault is reported. Returns how many were
   * new, and how many failed. Throws `Unavailable`.
   */
  async receiveAll(
    events: readonly ReceivedEvent[],
  ): Promise<{ readonly fresh: number; readonly failed: number }> {
    let fresh = 0;
    let failed = 0;
    for (const event of events) {
      const receipt = await this.#tried(event, () => this.receive(event));
      if (receipt === 'failed') failed += 1;
      else if (receipt?.state !== 'known') fresh += 1;
    }
    return { fresh, failed };
  }

  /**
   * Applies waiting events whose customer is linked now: of one customer, or of all if `customer` is null. An event that fails
   * does not prevent the others: its fault is reported, and it waits.
   */
  async applyWaiting(customer: string | null): Promise<void> {
    for (;;) {
      const events = await this.#parts.inbox.linked(customer, BATCH);
      let failed = 0;
      for (const stored of events) {
        const event = { ...stored, link: storedLink(stored) };
        const receipt = await this.#tried(event, () => this.replay(event));
        if (receipt === 'failed') failed += 1;
      }
      // Without progress, the next batch would be the same one.
      if (events.length < BATCH || failed === BATCH) return;
    }
  }

  /** Throws `Unavailable`, because the other events would fail too. */
  #tried<Answer>(event: ReceivedEvent, attempt: () => Promise<Answer>): Promise<Answer | 'failed'> {
    return attempt().catch((fault: unknown) => {
      if (fault instanceof Unavailable) throw fault;
      this.#parts.reportFailure(fault, { event: event.id });
      return 'failed';
    });
  }
}
