import type { Account, AccountId, Change } from '../../domain/accounts/account.js';
import type { CheckoutLink, LinkRefusal } from '../../domain/billing/checkout-reference.js';
import { isRefusal } from '../../domain/refusal.js';
import type { ApplyEvent, EventState, ReceivedEvent, StoredEvent } from '../ports/billing/payment-inbox.js';

/** The outcome of an event, with the reason if it failed and the change if it was applied. */
export type EventOutcome = {
  readonly state: EventState;
  readonly fault: string | null;
  readonly change: Change | null;
};

/**
 * Whether an event needs its account. An event that cannot be read, or has neither a fact nor a link, is only stored.
 */
export const concernsAccount = ({ fault, fact, link }: ReceivedEvent): boolean =>
  fault === null && (fact !== null || link !== null);

/**
 * The account to link to the customer of an event. An inbox uses it only while no account has that customer. A checkout
 * that names another account therefore cannot move a linked customer (D42).
 */
export const accountToLink = ({ link }: Pick<ReceivedEvent, 'link'>): AccountId | null =>
  link === null || link.refusal !== null ? null : link.account;

/** The stored link of an event. A refused link is not stored. */
export const storedLink = ({ linksTo }: Pick<StoredEvent, 'linksTo'>): CheckoutLink | null =>
  linksTo === null ? null : { account: linksTo, refusal: null };

/** Decides the outcome of an event, for every inbox. `account` is null if there is none, or if none is needed. */
export function outcomeOf(event: ReceivedEvent, account: Account | null, apply: ApplyEvent): EventOutcome {
  if (event.fault !== null) return failed(event.fault);
  if (!concernsAccount(event)) return { state: 'ignored', fault: null, change: null };
  if (account === null) return withoutAccount(event);
  try {
    const change = apply(account, event);
    return isRefusal(change)
      ? failed(`refused: ${change.refused}`)
      : { state: 'applied', fault: null, change };
  } catch (fault) {
    return failed(String(fault));
  }
}

function withoutAccount({ link }: ReceivedEvent): EventOutcome {
  if (link === null || link.refusal === null) return { state: 'waiting', fault: null, change: null };
  return failed(`the checkout names ${link.account} ${REFUSED_LINKS[link.refusal]}`);
}

/** Whether all work on an event is done. Such an event is deleted some time later (`domain/retention.ts`). */
export const isSettled = (state: EventState): boolean => state === 'applied' || state === 'ignored';

const REFUSED_LINKS: Readonly<Record<LinkRefusal, string>> = {
  account_id:
    'by its account ID, which is no secret, so nothing was linked: open checkouts with a checkout reference',
  not_signed:
    'in a reference that is not signed with a webhook secret of this service, so nothing was linked',
  expired:
    'in a reference that had expired when the checkout was opened, 7 days after it was created, so nothing was linked',
};

const failed = (fault: string): EventOutcome => ({ state: 'failed', fault, change: null });
