import type { Account, AccountId, Change } from '../../../domain/accounts/account.js';
import type { CheckoutLink } from '../../../domain/billing/checkout-reference.js';
import type { PaymentFact } from '../../../domain/billing/payment-event.js';
import type { Moment } from '../../../domain/moment.js';
import type { Refusal } from '../../../domain/refusal.js';

/** An event of the processor, in our words. */
export type ReceivedEvent = {
  readonly id: string;
  /** What the processor calls it. */
  readonly type: string;
  /** When the processor made it. */
  readonly at: Moment;
  /** Whom it is about; null where it is about nobody. */
  readonly customer: string | null;
  /** The account that its checkout names; null where it names none, or has no customer to link. */
  readonly link: CheckoutLink | null;
  /** What it tells; null where that is nothing to us. */
  readonly fact: PaymentFact | null;
  /** Why it cannot be understood, in words; null where it can. */
  readonly fault: string | null;
  /** As it came. */
  readonly payload: Buffer;
};

/** `waiting`: for an account to be linked to its customer. `failed`: kept, to be replayed. */
export const EVENT_STATES = ['applied', 'ignored', 'waiting', 'failed'] as const;
export type EventState = (typeof EVENT_STATES)[number];

/** A link that was refused is not stored: it is read again from what came. */
export type StoredEvent = Omit<ReceivedEvent, 'link'> & {
  readonly state: EventState;
  /** The account that its checkout may link, or was allowed to link when it came. */
  readonly linksTo: AccountId | null;
  readonly receivedAt: Moment;
  /** The account that it was applied to. */
  readonly account: AccountId | null;
};

/** A stored event without what came. */
export type ListedEvent = Omit<StoredEvent, 'payload'>;

/** What became of an event, and the account as it is now where it changed. `known`: it was here before. */
export type Receipt = { readonly state: EventState | 'known'; readonly account: Account | null };

/** What an event makes of the account that it is about; pure. */
export type ApplyEvent = (account: Account, event: ReceivedEvent) => Change | Refusal;

/**
 * Events of the processor, each kept and applied once (D29).
 *
 * What each adapter keeps:
 * - an event is stored and applied together or not at all, whatever happens meanwhile; what was answered stays;
 * - of the same event received twice, at once too, one is applied;
 * - the account is the one of its customer; where there is none, the one that its checkout links to it; without either it
 *   waits, or has failed where the link is refused (`event-outcome.ts`);
 * - what `apply` refuses or throws leaves the account as it was, and the event kept as failed with the reason;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface PaymentInbox {
  receive(event: ReceivedEvent, now: Moment, apply: ApplyEvent): Promise<Receipt>;
  /** Applies a stored event as it is understood now, whatever became of it before; null when there is none. */
  replay(event: ReceivedEvent, apply: ApplyEvent): Promise<Receipt | null>;
  /** Waiting events of customers that have an account by now (of one, or of all), in their order. */
  linked(customer: string | null, count: number): Promise<readonly StoredEvent[]>;
  find(id: string): Promise<StoredEvent | null>;
  /** The latest received first. */
  list(
    only: { readonly state?: EventState; readonly account?: AccountId },
    count: number,
  ): Promise<readonly ListedEvent[]>;
}
