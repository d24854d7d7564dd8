import type { Account, AccountId, Change } from '../../domain/accounts/account.js';
import type { CheckoutLink, LinkRefusal } from '../../domain/billing/checkout-reference.js';
import { isRefusal } from '../../domain/refusal.js';
import type { ApplyEvent, EventState, ReceivedEvent, StoredEvent } from '../ports/billing/payment-inbox.js';

/** What becomes of an event, with the reason where it failed and the change where it was applied. */
export type EventOutcome = {
  readonly state: EventState;
  readonly fault: string | null;
  readonly change: Change | null;
};

/** Whether it must be known which account an event is about: one that tells nothing, or cannot be read, is only kept. */
export const concernsAccount = ({ fault, fact, link }: ReceivedEvent): boolean =>
  fault === null && (fact !== null || link !== null);

/**
 * The account to link to the customer of an event. An inbox looks it up only while no account has that customer: a linked
 * customer stays with its account, so a checkout that names another account cannot move it (D42).
 */
export const accountToLink = ({ link }: Pick<ReceivedEvent, 'link'>): AccountId | null =>
  link === null || link.refusal !== null ? null : link.account;

/** The link of an event as it was stored; a refused one is not. */
export const storedLink = ({ linksTo }: Pick<StoredEvent, 'linksTo'>): CheckoutLink | null =>
  linksTo === null ? null : { account: linksTo, refusal: null };

/** What every inbox makes of an event, whatever it stores it in; `account` is null where there is none, or none is needed. */
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

const REFUSED_LINKS: Readonly<Record<LinkRefusal, string>> = {
  account_id:
    'by its plain id, which is no secret, so nothing was linked: open checkouts with a checkout reference',
  not_signed: 'in a reference that is not signed with a webhook secret of this service: nothing was linked',
  expired:
    'in a reference that had expired when the checkout was opened, 7 days after its issue: nothing was linked',
};

const failed = (fault: string): EventOutcome => ({ state: 'failed', fault, change: null });
