import type { Account, AccountId, Change } from '../../../domain/accounts/account.js';
import type { CheckoutLink } from '../../../domain/billing/checkout-reference.js';
import type { PaymentFact } from '../../../domain/billing/payment-event.js';
import type { Moment } from '../../../domain/moment.js';
import type { Refusal } from '../../../domain/refusal.js';

/** An event of the processor, translated to our terms. */
export type ReceivedEvent = {
  readonly id: string;
  /** The type name of the processor. */
  readonly type: string;
  /** When the processor created it. */
  readonly at: Moment;
  /** The customer that the event concerns; null if there is none. */
  readonly customer: string | null;
  /** The account that its checkout names; null if it names none, or has no customer to link. */
  readonly link: CheckoutLink | null;
  /** Its content; null if the service does not use events of this type. */
  readonly fact: PaymentFact | null;
  /** Why it cannot be read; null if it can. */
  readonly fault: string | null;
  /** Why it changes nothing, although an operator should know of it. */
  readonly notUsed?: string;
  /** The body as received. */
  readonly payload: Buffer;
};

/** `waiting`: no account is linked to its customer yet. `failed`: stored, and can be replayed. */
export const EVENT_STATES = ['applied', 'ignored', 'waiting', 'failed'] as const;
export type EventState = (typeof EVENT_STATES)[number];

/** A refused link is not stored: a replay reads it again from the payload. */
export type StoredEvent = Omit<ReceivedEvent, 'link'> & {
  readonly state: EventState;
  /** The account that its checkout may link; null if there is none, or if the link was refused. */
  readonly linksTo: AccountId | null;
  readonly receivedAt: Moment;
  /** The account to which it was applied. */
  readonly account: AccountId | null;
};

/** A stored event without its payload. */
export type ListedEvent = Omit<StoredEvent, 'payload'>;

/** Which events are listed; all if nothing is given. `hasReason`: only those with a fault or another reason. */
export type ListedOnly = {
  readonly state?: EventState;
  readonly account?: AccountId;
  readonly hasReason?: true;
};

/** The newest waiting events, and as many failed ones, in which a store looks for an id. */
export const NAMING_READ_MAX = 500;

/** The outcome of an event, and the account if it changed. `known`: the event had been received before. */
export type Receipt = { readonly state: EventState | 'known'; readonly account: Account | null };

/** Applies an event to the account that it concerns. It is pure. */
export type ApplyEvent = (account: Account, event: ReceivedEvent) => Change | Refusal;

/**
 * Events of the processor, each stored and applied once (D29).
 *
 * What every adapter guarantees:
 * - an event is stored and applied in one transaction; a returned receipt is durable;
 * - an event that is received twice, even concurrently, is applied once;
 * - the account of an event is the account of its customer, or else the one that its checkout links. Without an
 *   account, the event waits, or is stored as failed if the link was refused (`event-outcome.ts`);
 * - an event of the customer of a deleted account is ignored, and so is a checkout that names a deleted account, with the
 *   reason. Both are stored without their payload;
 * - if `apply` refuses or throws, the account is unchanged, and the event is stored as failed with the reason;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface PaymentInbox {
  receive(event: ReceivedEvent, now: Moment, apply: ApplyEvent): Promise<Receipt>;
  /** Applies a stored event in any state, with the content of `event`; null if there is no such event. */
  replay(event: ReceivedEvent, now: Moment, apply: ApplyEvent): Promise<Receipt | null>;
  /**
   * Waiting events whose customer is linked to an account now, oldest first: of one customer, or of all if `customer`
   * is null.
   */
  linked(customer: string | null, count: number): Promise<readonly StoredEvent[]>;
  find(id: string): Promise<StoredEvent | null>;
  /**
   * Waiting and failed events whose customer has this id, or whose payload has this id as a text of its own, the latest received first.
   * Of each state, the newest `NAMING_READ_MAX` are read.
   */
  naming(id: string, count: number): Promise<readonly ListedEvent[]>;
  /** The latest received first. */
  list(only: ListedOnly, count: number): Promise<readonly ListedEvent[]>;
}
