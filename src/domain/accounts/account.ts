import type { Dunning } from '../billing/dunning.js';
import { NO_PAYMENT_FACTS, type PaymentFacts } from '../billing/payment-event.js';
import type { Plan, PlanName } from '../billing/plan.js';
import type { Subscription, SubscriptionId } from '../billing/subscription.js';
import { whyNotIssue, whyNotRotate } from '../keys/allowance.js';
import {
  type ApiKey,
  CAUSE_OF,
  type CauseEvent,
  derivedState,
  endGrace,
  type KeyEvent,
  type KeyId,
  type RevocationCause,
  standingAfter,
  transition,
} from '../keys/api-key.js';
import type { KeyHash } from '../keys/key-value.js';
import type { Label } from '../keys/label.js';
import { SCOPES } from '../keys/scope.js';
import type { SuspensionCause } from '../keys/suspension.js';
import { DAY, type Moment, plus } from '../moment.js';
import { isRefusal, type Refusal, refuse } from '../refusal.js';
import { type EmailAddress, foldedAddress } from './email-address.js';

/** How long a key and its successor both work before the service retires the older one (D23). */
export const OVERLAP = DAY;

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
export type Act = { readonly actor: string; readonly reason: string | null; readonly at: Moment };

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

export type AuditEntry = Act & {
  readonly event: (typeof ACCOUNT_EVENTS)[number] | KeyEvent;
  /** The key that the act struck; null when it struck the subscription. */
  readonly key: KeyId | null;
};

/** The cause that an act placed, lifted or revoked by; null where it is none of those (D25). */
export const causeOf = ({ event }: AuditEntry): SuspensionCause | RevocationCause | null =>
  event in CAUSE_OF ? CAUSE_OF[event as KeyEvent] : null;

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
  act: Act,
): Change {
  const { id, subscriptionId, plan, processorCustomerId } = identity;
  const next: Account = {
    id,
    email: identity.email,
    processorCustomerId,
    openedAt: act.at,
    openedPlan: plan,
    subscription: {
      id: subscriptionId,
      plan,
      state: 'active',
      standing: { status: 'active' },
      watch: { isOn: true, since: act.at },
    },
    keys: [],
    payments: NO_PAYMENT_FACTS,
    dunning: [],
    pending: [],
  };
  return { next, entries: [{ ...act, event: 'opened', key: null }] };
}

/** A key that has been made and is not yet anybody's. */
export type FreshKey = {
  readonly id: KeyId;
  readonly hash: KeyHash;
  readonly prefix: string;
  readonly label: Label | null;
};

/** One more key, within the allowance of the plan (contract section 5.3). */
export function issueKey(account: Account, fresh: FreshKey, plan: Plan, act: Act): Change | Refusal {
  const refusal = whyNotIssue(account.subscription, account.keys, plan);
  if (refusal !== null) return refusal;
  return withKey(account, { ...fresh, predecessor: null, overlapEndsAt: null }, act);
}

/**
 * Refuses who decided by an older list of keys: `seen` is the newest key on it, null where it was empty. A form that is
 * sent twice, in the very same moment too, makes one key.
 */
export function whyOutdated({ keys }: Account, seen: KeyId | null): Refusal | null {
  return (keys.at(-1)?.id ?? null) === seen ? null : refuse('changed_meanwhile');
}

/** The successor of a key, beside it and beyond the allowance; unless it has a label it takes the older one's (D23). */
export function rotateKey(account: Account, id: KeyId, fresh: FreshKey, act: Act): Change | Refusal {
  const key = keyOf(account, id);
  if (isRefusal(key)) return key;
  const refusal = whyNotRotate(account.subscription, account.keys, key);
  if (refusal !== null) return refusal;
  const successor = { ...fresh, label: fresh.label ?? key.label, predecessor: id };
  return withKey(account, { ...successor, overlapEndsAt: plus(act.at, OVERLAP) }, act);
}

/** Retires a key that has an active replacement, or revokes it at once (contract section 5.4, D22, D23). */
export function revokeKey(
  account: Account,
  id: KeyId,
  cause: 'rotation' | 'manual',
  act: Act,
): Change | Refusal {
  if (cause === 'manual') return strike(account, id, 'revoked', act);
  return whyNotRetire(account, id) ?? strike(account, id, 'rotated', act);
}

/** Why a key cannot be retired for a newer one (D23); null when it can. */
export function whyNotRetire(account: Account, id: KeyId): Refusal | null {
  const key = keyOf(account, id);
  if (isRefusal(key)) return key;
  if (key.state.status === 'revoked') return refuse('key_revoked');
  return hasReplacement(account, id) ? null : refuse('no_replacement');
}

/** What is placed on one key, and lifted from it (D21). */
export const strikeKey = (
  account: Account,
  id: KeyId,
  event: 'held' | 'released' | 'abuse_cleared',
  act: Act,
): Change | Refusal => strike(account, id, event, act);

/** What happens to one key, by the table of contract section 3.1. */
export function strike(account: Account, id: KeyId, event: KeyEvent, act: Act): Change | Refusal {
  const key = keyOf(account, id);
  if (isRefusal(key)) return key;
  const state = transition(key.state, event, act.at);
  if (isRefusal(state)) return state;
  const keys = account.keys.map((other) => (other.id === id ? { ...key, state } : other));
  return { next: { ...account, keys }, entries: [{ ...act, event, key: id }] };
}

/**
 * What happens to a subscription strikes all its keys: those that are not revoked through
 * `derivedState`, and a revoked one by the end of the grace it may still have (D21, D22).
 */
export function strikeSubscription(account: Account, event: CauseEvent, act: Act): Change {
  const standing = standingAfter(account.subscription.standing, event, act.at);
  const suspends = standingAfter({ status: 'active' }, event, act.at).status === 'suspended';
  const keys = account.keys.map((key) =>
    key.state.status === 'revoked' && suspends ? { ...key, state: endGrace(key.state, act.at) } : key,
  );
  // What was seen before a trip was lifted must not trip again.
  const watch = event === 'abuse_cleared' ? { ...account.subscription.watch, since: act.at } : undefined;
  return {
    next: { ...account, subscription: { ...account.subscription, standing, ...(watch && { watch }) }, keys },
    entries: [{ ...act, event, key: null }],
  };
}

/** Turns the detection of abuse off for who runs many addresses, or on again: then from now on. */
export function watchForAbuse(account: Account, isOn: boolean, act: Act): Change {
  const subscription = { ...account.subscription, watch: { isOn, since: act.at } };
  return {
    next: { ...account, subscription },
    entries: [{ ...act, event: 'abuse_detection_changed', key: null }],
  };
}

/** Somebody has an event of the processor applied anew. What comes of it is told by entries of its own. */
export function noteReplay(account: Account, paymentEvent: string, act: Act): Change {
  const reason = act.reason === null ? paymentEvent : `${paymentEvent}: ${act.reason}`;
  return { next: account, entries: [{ ...act, reason, event: 'payment_event_replayed', key: null }] };
}

/** The subscription ends, and all its keys with it (contract section 3.1). */
export const cancelSubscription = (account: Account, act: Act): Change =>
  cancelKeys({ ...account, subscription: { ...account.subscription, state: 'canceled' } }, null, act);

/** The keys of a subscription that ended; those that were issued since `until`, under the next one, stay (D27). */
export function cancelKeys(account: Account, until: Moment | null, act: Act): Change {
  const keys = account.keys.map((key) =>
    until === null || key.issuedAt < until ? struck(key, 'cancelled', act.at) : key,
  );
  return { next: { ...account, keys }, entries: [{ ...act, event: 'cancelled', key: null }] };
}

/** Says which customer of the processor an account is; it stays that one (D42). */
export function linkCustomer(account: Account, customer: string, act: Act): Change | Refusal {
  if (account.processorCustomerId === customer) return { next: account, entries: [] };
  if (account.processorCustomerId !== null) return refuse('account_linked');
  const entry: AuditEntry = { ...act, event: 'linked', key: null };
  return { next: { ...account, processorCustomerId: customer }, entries: [entry] };
}

/** Whether an e-mail address, folded as accounts fold theirs, is the account's own (D42); null is nobody's. */
export const isEmailOf = ({ email }: Account, other: string | null): boolean =>
  other !== null && (other === email || foldedAddress(other) === email);

/** One change after another, as one. */
export function afterwards(change: Change, decide: (account: Account) => Change): Change {
  const { next, entries } = decide(change.next);
  return { next, entries: [...change.entries, ...entries] };
}

export const keyOf = (account: Account, id: KeyId): ApiKey | Refusal =>
  account.keys.find((key) => key.id === id) ?? { refused: 'not_found', what: 'key' };

function withKey(account: Account, key: Omit<ApiKey, 'scopes' | 'issuedAt' | 'state'>, act: Act): Change {
  const issued: ApiKey = { ...key, scopes: [...SCOPES], issuedAt: act.at, state: { status: 'active' } };
  return {
    next: { ...account, keys: [...account.keys, issued] },
    entries: [{ ...act, event: 'issued', key: key.id }],
  };
}

/** A retired key needs its successor, or any active key issued after it (D23). */
function hasReplacement({ keys, subscription }: Account, id: KeyId): boolean {
  const later = keys.slice(keys.findIndex((key) => key.id === id) + 1);
  return later.some((key) => derivedState(key.state, subscription.standing).status === 'active');
}

function struck(key: ApiKey, event: KeyEvent, at: Moment): ApiKey {
  const state = transition(key.state, event, at);
  return isRefusal(state) ? key : { ...key, state };
}
