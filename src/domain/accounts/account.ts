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

/** What is decided together: a subscription and its keys stand and fall, and are counted, as one. */
export type Account = {
  readonly id: AccountId;
  /** In lower case (D42). */
  readonly email: string;
  readonly processorCustomerId: string | null;
  readonly openedAt: Moment;
  /** The plan until the processor names another. */
  readonly openedPlan: PlanName;
  readonly subscription: Subscription;
  /** In the order they were issued. */
  readonly keys: readonly ApiKey[];
  /** What the processor said so far; the subscription is what it makes of that (`account-payments.ts`). */
  readonly payments: PaymentFacts;
  readonly dunning: Dunning;
  readonly pending: readonly Pending[];
};

/** What the passing of time alone does to a subscription, unless something is heard before. */
export type Pending = {
  readonly event: 'payment_failed' | 'trial_ended';
  readonly at: Moment;
  /** When the processor is to be asked about it; null where there is none to ask. */
  readonly askAt: Moment | null;
};

/** Who did something, why, and when: what the audit log says of every act (D25). */
export type AuditContext = { readonly actor: string; readonly reason: string | null; readonly at: Moment };

/** What happens to an account beside what strikes its keys. */
export const ACCOUNT_EVENTS = [
  'opened',
  'issued',
  'linked',
  'subscription_changed',
  'attempt_failed',
  'trial_ended',
  'abuse_detection_changed',
  'payment_event_replayed',
  'identity_joined',
  'identities_removed',
] as const;

export type AuditEntry = AuditContext & {
  readonly event: (typeof ACCOUNT_EVENTS)[number] | KeyEvent;
  /** The key that the act struck; null when it struck the subscription. */
  readonly key: KeyId | null;
};

/** The cause that an act placed, lifted or revoked by; null where it is none of those (D25). */
export const causeOf = ({ event }: AuditEntry): SuspensionCause | RevocationCause | null =>
  causeOfEvent(event);

/** The account as it will be, with the record of why. Both are stored, or neither. */
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
    payments: NO_PAYMENT_FACTS,
    dunning: [],
    pending: [],
  };
  return { next, entries: [{ ...context, event: 'opened', key: null }] };
}

/** Whether an e-mail address, folded as accounts fold theirs, is the account's own (D42); null is nobody's. */
export const isEmailOf = ({ email }: Account, other: string | null): boolean =>
  other !== null && (other === email || foldedAddress(other) === email);

/** One change after another, as one. */
export function afterwards(change: Change, decide: (account: Account) => Change): Change {
  const { next, entries } = decide(change.next);
  return { next, entries: [...change.entries, ...entries] };
}
