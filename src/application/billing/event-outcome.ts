import type { Account, AccountId, Change } from '../../domain/accounts/account.js';
import { isDeleted } from '../../domain/accounts/account-deletion.js';
import type { CheckoutLink, LinkRefusal } from '../../domain/billing/checkout-reference.js';
import { isRefusal } from '../../domain/refusal.js';
import type { ApplyEvent, EventState, ReceivedEvent, StoredEvent } from '../ports/billing/payment-inbox.js';

/** The outcome of an event. */
export type EventOutcome = {
  readonly state: EventState;
  /** The reason if it failed, or if it was ignored although somebody has paid or it could be used. */
  readonly fault: string | null;
  /** The change if it was applied. */
  readonly change: Change | null;
  /** The account with which it is stored; null if it changes none, or if there is none. */
  readonly account: AccountId | null;
  /** The body to store. It is empty for an event of a deleted account, because bodies contain personal data. */
  readonly payload: Buffer;
};

type Decision = Pick<EventOutcome, 'state' | 'fault' | 'change'>;

const NO_PAYLOAD = Buffer.alloc(0);

/** Whether an event changes its account. An event that cannot be read or used, or has neither a fact nor a link, is only stored. */
const changesAccount = ({ fault, fact, link, notUsed }: ReceivedEvent): boolean =>
  fault === null && notUsed === undefined && (fact !== null || link !== null);

/** The account that the checkout of an event names, also if its reference is refused. */
export const namedAccount = ({ link }: Pick<ReceivedEvent, 'link'>): AccountId | null =>
  link?.account ?? null;

/**
 * The account to link to the customer of an event. An inbox uses it only while no account has that customer. A checkout
 * that names another account therefore cannot move a linked customer (D42).
 */
export const accountToLink = ({ link }: Pick<ReceivedEvent, 'link'>): AccountId | null =>
  link === null || link.refusal !== null ? null : link.account;

/** The stored link of an event. A refused link is not stored. */
export const storedLink = ({ linksTo }: Pick<StoredEvent, 'linksTo'>): CheckoutLink | null =>
  linksTo === null ? null : { account: linksTo, refusal: null };

/**
 * Decides the outcome of an event, for every inbox. `found` is the locked account of its customer, or else the one that its
 * checkout names; null if there is none.
 */
export function outcomeOf(event: ReceivedEvent, found: Account | null, apply: ApplyEvent): EventOutcome {
  const isOfCustomer = event.customer !== null && event.customer === found?.processorCustomerId;
  if (found !== null && isDeleted(found)) {
    // Somebody paid with a reference that was created before the deletion. No replay can ever apply this checkout.
    const fault = isOfCustomer
      ? null
      : `the checkout names ${found.id}, which is deleted, so nothing was linked`;
    return { ...IGNORED, fault, account: found.id, payload: NO_PAYLOAD };
  }
  const account = isOfCustomer || found?.id === accountToLink(event) ? found : null;
  const id = account !== null && changesAccount(event) ? account.id : null;
  return { ...decisionOn(event, account, apply), account: id, payload: event.payload };
}

function decisionOn(event: ReceivedEvent, account: Account | null, apply: ApplyEvent): Decision {
  if (event.notUsed !== undefined) return { ...IGNORED, fault: event.notUsed };
  if (event.fault !== null) return failed(event.fault);
  if (!changesAccount(event)) return IGNORED;
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

function withoutAccount({ link }: ReceivedEvent): Decision {
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

const failed = (fault: string): Decision => ({ state: 'failed', fault, change: null });

const IGNORED: Decision = { state: 'ignored', fault: null, change: null };
