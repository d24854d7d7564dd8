import type { Account } from '../../domain/accounts/account.js';
import type { Reason } from '../../domain/accounts/reason.js';
import { isRefusal, type Refusal } from '../../domain/refusal.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { ListedEvent, PaymentInbox, StoredEvent } from '../ports/billing/payment-inbox.js';
import type { ReadPaymentEvent } from '../ports/billing/processor.js';
import { unlessUnavailable } from '../unavailable.js';
import type { LinkCustomer } from './link-customer.js';
import type { ReplayEvent } from './replay-event.js';

/** A checkout whose reference was refused, with the customer and the account that an operator may link all the same. */
export type RefusedCheckout = { readonly customer: string; readonly account: Account };

type LinkCheckoutParts = {
  readonly inbox: Pick<PaymentInbox, 'find'>;
  readonly readPaymentEvent: ReadPaymentEvent;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly linkCustomer: LinkCustomer;
  readonly replayEvent: ReplayEvent;
};

/** Links the customer of a checkout whose reference was refused: an operator answers for it, with a reason. */
export class LinkCheckout {
  readonly #parts: LinkCheckoutParts;

  constructor(parts: LinkCheckoutParts) {
    this.#parts = parts;
  }

  /** Null where there is nothing to link: another kind of event, no such account, or one that is a customer already. */
  async offer({ state, payload }: StoredEvent): Promise<RefusedCheckout | null> {
    if (state !== 'failed') return null;
    // Reading a checkout asks nobody, so an event that needs the processor is another one: its page is shown all the same.
    const read = await this.#parts.readPaymentEvent(payload).catch(unlessUnavailable);
    if (read === undefined) return null;
    const { customer, link } = read;
    if (customer === null || link === null || link.refusal === null) return null;
    const account = await this.#parts.accounts.find(link.account);
    return account === null || account.processorCustomerId !== null ? null : { customer, account };
  }

  /** The event as it is afterwards. */
  async link(event: StoredEvent, reason: Reason, actor: string): Promise<ListedEvent | Refusal> {
    const { linkCustomer, replayEvent } = this.#parts;
    const offered = await this.offer(event);
    if (offered === null) return { refused: 'not_found', what: 'checkout to link' };
    const linked = await linkCustomer(offered.account.id, offered.customer, reason, actor);
    return isRefusal(linked) ? linked : replayEvent(event.id, reason, actor);
  }
}
