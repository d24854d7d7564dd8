import type { Account, Change } from '../domain/account.js';
import { isRefusal } from '../domain/refusal.js';
import type { ApplyEvent, EventState, ReceivedEvent } from './ports/payment-inbox.js';

/** What becomes of an event, with the reason where it failed and the change where it was applied. */
export type EventOutcome = {
  readonly state: EventState;
  readonly fault: string | null;
  readonly change: Change | null;
};

/** Whether it must be known which account an event is about: one that tells nothing, or cannot be read, is only kept. */
export const concernsAccount = ({ fault, fact, linksTo }: ReceivedEvent): boolean =>
  fault === null && (fact !== null || linksTo !== null);

/** What every inbox makes of an event, whatever it stores it in; `account` is null where there is none, or none is needed. */
export function outcomeOf(event: ReceivedEvent, account: Account | null, apply: ApplyEvent): EventOutcome {
  if (event.fault !== null) return failed(event.fault);
  if (!concernsAccount(event)) return { state: 'ignored', fault: null, change: null };
  if (account === null) return { state: 'waiting', fault: null, change: null };
  try {
    const change = apply(account, event);
    return isRefusal(change)
      ? failed(`refused: ${change.refused}`)
      : { state: 'applied', fault: null, change };
  } catch (fault) {
    return failed(String(fault));
  }
}

export const failed = (fault: string): EventOutcome => ({ state: 'failed', fault, change: null });
