import type { Dunning } from '../billing/dunning.js';
import { NO_PAYMENT_FACTS, type PaymentFacts } from '../billing/payment-event.js';
import type { PlanName } from '../billing/plan.js';
import type { Subscription, SubscriptionId } from '../billing/subscription.js';
import {
  type ApiKey,
  causeOfEvent,
  type KeyEvent,
  type KeyId,
  type RevocationCause,
} from '../keys/api-key.js';
import type { SuspensionCause } from '../keys/suspension.js';
import type { Moment } from '../moment.js';
import { type EmailAddress, foldedAddress } from './email-address.js';

declare const accountId: unique symbol;
export type AccountId = string & { readonly [accountId]: true };

/** A subscription with its keys. They change together, in one decision, and are counted together. */
export type Account = {
  readonly id: AccountId;
  /** In lower case (D42). */
  readonly email: string;
  readonly processorCustomerId: string | null;
  readonly openedAt: Moment;
  /** The plan until the processor names another one. */
  readonly openedPlan: PlanName;
  readonly subscription: Subscription;
  /** The keys that the account lists (`listed-keys.ts`), in the order they were issued. */
  readonly keys: readonly ApiKey[];
  /** The number of its keys that it no longer lists. */
  readonly closedKeys: number;
  /** The facts from the processor so far; the subscription is derived from them (`account-payments.ts`). */
  readonly payments: PaymentFacts;
  readonly dunning: Dunning;
  readonly pending: readonly Pending[];
  /** When to ask the processor about events of one second that do not tell their order (D29); null if there are none. */
  readonly askTiesAt: Moment | null;
  /** The owner wants no mails about the quota of the day (D73). */
  readonly quotaMailsOff?: true;
};

/** An event on a subscription that happens when its time comes, unless a payment event removes it before. */
export type Pending = {
  readonly event: 'payment_failed' | 'trial_ended';
  readonly at: Moment;
  /** When to ask the processor about it; null if no processor is configured. */
  readonly askAt: Moment | null;
};

/** Actor, reason and time of a change, as in each audit entry (D25). */
export type AuditContext = { readonly actor: string; readonly reason: string | null; readonly at: Moment };

/** The events of an account. `KEY_EVENTS` has those of its keys. */
export const ACCOUNT_EVENTS = [
  'opened',
  'issued',
  'key_edited',
  'linked',
  'subscription_changed',
  'attempt_failed',
  'trial_ended',
  'abuse_detection_changed',
  'payment_event_replayed',
  'payment_notice_repeated',
  'identity_joined',
  'identities_removed',
  'destination_created',
  'destination_changed',
  'destination_disabled',
  'destination_removed',
  'deleted',
] as const;

export type AuditEntry = AuditContext & {
  readonly event: (typeof ACCOUNT_EVENTS)[number] | KeyEvent;
  /** The key that changed; null if the change applies to the whole account. */
  readonly key: KeyId | null;
};

/**
 * The suspension cause that the change started or ended, or the cause of a revocation; null for other changes (D25).
 */
export const causeOf = ({ event }: AuditEntry): SuspensionCause | RevocationCause | null =>
  causeOfEvent(event);

/** The changed account, with its audit entries. Both are stored, or neither. */
export type Change = { readonly next: Account; readonly entries: readonly AuditEntry[] };

export function openAccount(
  identity: {
    readonly id: AccountId;
    readonly subscriptionId: SubscriptionId;
    readonly email: EmailAddress;
    readonly plan: PlanName;
    readonly processorCustomerId: string | null;
  },
  context: AuditContext,
): Change {
  const { id, subscriptionId, plan, processorCustomerId } = identity;
  const next: Account = {
    id,
    email: identity.email,
    processorCustomerId,
    openedAt: context.at,
    openedPlan: plan,
    subscription: {
      id: subscriptionId,
      plan,
      state: 'active',
      suspension: { status: 'active' },
      monitoring: { isOn: true, since: context.at },
    },
    keys: [],
    closedKeys: 0,
    payments: NO_PAYMENT_FACTS,
    dunning: [],
    pending: [],
    askTiesAt: null,
  };
  return { next, entries: [{ ...context, event: 'opened', key: null }] };
}

/** Whether an email address is that of the account, in any letter case (D42). */
export const isEmailOf = ({ email }: Account, other: string | null): boolean =>
  other !== null && (other === email || foldedAddress(other) === email);

/** Combines two changes in sequence into one. */
export function andThenChange(change: Change, decide: (account: Account) => Change): Change {
  const { next, entries } = decide(change.next);
  return { next, entries: [...change.entries, ...entries] };
}
