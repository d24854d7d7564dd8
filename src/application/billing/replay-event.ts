import type { AccountId } from '../../domain/accounts/account.js';
import { decideAt } from '../../domain/accounts/account-due.js';
import type { Reason } from '../../domain/accounts/reason.js';
import { noteReplay } from '../../domain/billing/account-payments.js';
import type { Refusal } from '../../domain/refusal.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type {
  ListedEvent,
  PaymentInbox,
  ReceivedEvent,
  StoredEvent,
} from '../ports/billing/payment-inbox.js';
import type { ReadPaymentEvent } from '../ports/billing/processor.js';
import type { Clock } from '../ports/clock.js';
import { storedLink } from './event-outcome.js';
import type { PaymentEvents } from './payment-events.js';

const NO_EVENT: Refusal<'not_found'> = { refused: 'not_found', what: 'payment event' };

/** To apply once more what was applied changes nothing (D29). */
export const isWorthReplaying = ({ state }: ListedEvent): boolean => state !== 'applied';

/**
 * Has a stored event applied anew, read from what came: a newer version of the service may understand it, and the
 * account may be linked by now. Who did so, and why, is in the audit log of the account that it belongs to.
 */
export const replayEvent = (parts: {
  readonly inbox: PaymentInbox;
  readonly readPaymentEvent: ReadPaymentEvent;
  readonly paymentEvents: PaymentEvents;
  readonly accounts: Accounts;
  readonly clock: Clock;
}) =>
  async function replayEvent(
    id: string,
    reason: Reason | null,
    actor: string,
  ): Promise<ListedEvent | Refusal<'not_found'>> {
    const { inbox, accounts } = parts;
    const stored = await inbox.find(id);
    if (stored === null) return NO_EVENT;
    const context = { actor, reason, at: parts.clock() };
    const note = (account: AccountId) =>
      accounts.change(account, (found) =>
        decideAt(found, context.at, (current) => noteReplay(current, stored.id, context)),
      );
    // Before it is done, so that nothing is done unnoted; whose it is may only come out by doing it.
    if (stored.account !== null) await note(stored.account);
    // One that could not be read at all was given an id of ours, and keeps it.
    const read = { ...(await parts.readPaymentEvent(stored.payload)), id: stored.id };
    await parts.paymentEvents.replay({ ...read, link: linkOnReplay(stored, read) });
    const replayed = (await inbox.find(id)) ?? stored;
    if (stored.account === null && replayed.account !== null) await note(replayed.account);
    return replayed;
  };

/**
 * A link that was applied, or that waits for its account, is not verified again: the webhook secrets, or the rule itself, may
 * have changed since the event was received.
 */
const linkOnReplay = (stored: StoredEvent, { link }: ReceivedEvent): ReceivedEvent['link'] =>
  stored.state === 'failed' ? link : (storedLink(stored) ?? link);

export type ReplayEvent = ReturnType<typeof replayEvent>;
