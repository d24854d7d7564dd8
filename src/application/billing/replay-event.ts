import type { AccountId } from '../../domain/accounts/account.js';
import { applyDueAndDecide } from '../../domain/accounts/account-due.js';
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

/** Replaying an applied event changes nothing (D29). */
export const isWorthReplaying = ({ state }: ListedEvent): boolean => state !== 'applied';

/**
 * Reads the payload of a stored event again and applies it. A newer version of the service may be able to read it, or
 * its account may be linked now. The audit log of the account gets an entry with actor and reason.
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
    // The payload was deleted with its account, and a deleted account gets no reasons.
    if (stored.payload.length === 0) return stored;
    const context = { actor, reason, at: parts.clock() };
    const note = (account: AccountId) =>
      accounts.change(account, (found) =>
        applyDueAndDecide(found, context.at, (current) => noteReplay(current, stored.id, context)),
      );
    // The audit entry is stored first, so that every replay has one. If the account is not known yet, the entry follows
    // after the replay.
    if (stored.account !== null) await note(stored.account);
    // An event that could not be read has an id from this service. It keeps this id.
    const read = { ...(await parts.readPaymentEvent(stored.payload)), id: stored.id };
    await parts.paymentEvents.replay({ ...read, link: linkOnReplay(stored, read) });
    const replayed = (await inbox.find(id)) ?? stored;
    if (stored.account === null && replayed.account !== null) await note(replayed.account);
    return replayed;
  };

/**
 * The link of the replayed event. An applied or waiting link is not verified again: the webhook secrets, or the rules, may
 * have changed since the event was received.
 */
const linkOnReplay = (stored: StoredEvent, { link }: ReceivedEvent): ReceivedEvent['link'] =>
  stored.state === 'failed' ? link : (storedLink(stored) ?? link);

export type ReplayEvent = ReturnType<typeof replayEvent>;
