import type { Account } from '../../domain/accounts/account.js';
import { isDeleted } from '../../domain/accounts/account-deletion.js';
import type { Reason } from '../../domain/accounts/reason.js';
import { isRefusal, type Refusal } from '../../domain/refusal.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { ListedEvent, PaymentInbox, StoredEvent } from '../ports/billing/payment-inbox.js';
import type { ReadPaymentEvent } from '../ports/billing/processor.js';
import { unlessUnavailable } from '../unavailable.js';
import type { LinkCustomer } from './link-customer.js';
import type { ReplayEvent } from './replay-event.js';

/** A checkout whose reference was refused, with the customer and the account that an operator may still link. */
export type RefusedCheckout = { readonly customer: string; readonly account: Account };

type LinkCheckoutParts = {
  readonly inbox: Pick<PaymentInbox, 'find'>;
  readonly readPaymentEvent: ReadPaymentEvent;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly linkCustomer: LinkCustomer;
  readonly replayEvent: ReplayEvent;
};

/** Lets an operator link the customer of a checkout whose reference was refused, with a reason. */
export class LinkCheckout {
  readonly #parts: LinkCheckoutParts;

  constructor(parts: LinkCheckoutParts) {
    this.#parts = parts;
  }

  /**
   * Null if there is nothing to link: the event is of another kind, or the account does not exist, is deleted, or has a
   * customer.
   */
  async offer({ state, payload }: StoredEvent): Promise<RefusedCheckout | null> {
    if (state !== 'failed') return null;
    // Only events of other kinds need a call to the processor. If the processor is unavailable, this is such an event.
    const read = await this.#parts.readPaymentEvent(payload).catch(unlessUnavailable);
    if (read === undefined) return null;
    const { customer, link } = read;
    if (customer === null || link === null || link.refusal === null) return null;
    const account = await this.#parts.accounts.find(link.account);
    if (account === null || account.processorCustomerId !== null || isDeleted(account)) return null;
    return { customer, account };
  }

  /** Links the customer and replays the event. Returns the event after that. */
  async link(event: StoredEvent, reason: Reason, actor: string): Promise<ListedEvent | Refusal> {
    const { linkCustomer, replayEvent } = this.#parts;
    const offered = await this.offer(event);
    if (offered === null) return { refused: 'not_found', what: 'checkout to link' };
    const linked = await linkCustomer(offered.account.id, offered.customer, reason, actor);
    return isRefusal(linked) ? linked : replayEvent(event.id, reason, actor);
  }
}
