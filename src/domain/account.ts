import { openPredecessor, whyNotIssue, whyNotRotate } from './allowance.js';
import {
  type ApiKey,
  type CauseEvent,
  derivedState,
  endGrace,
  type KeyEvent,
  type KeyId,
  standingAfter,
  transition,
} from './api-key.js';
import type { KeyHash } from './key-value.js';
import type { Label } from './label.js';
import { DAY, type Moment, plus } from './moment.js';
import type { Plan, PlanName } from './plan.js';
import { isRefusal, type Refusal, refuse } from './refusal.js';
import { SCOPES } from './scope.js';
import type { Subscription, SubscriptionId } from './subscription.js';

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
  readonly subscription: Subscription;
  /** In the order they were issued. */
  readonly keys: readonly ApiKey[];
};

/** Who did something, why, and when: what the audit log says of every act (D25). */
export type Act = { readonly actor: string; readonly reason: string | null; readonly at: Moment };

export type AuditEntry = Act & {
  readonly event: 'opened' | 'issued' | KeyEvent;
  /** The key that the act struck; null when it struck the subscription. */
  readonly key: KeyId | null;
};

/** The account as it will be, with the record of why. Both are stored, or neither. */
export type Change = { readonly next: Account; readonly entries: readonly AuditEntry[] };

export function openAccount(
  identity: {
    readonly id: AccountId;
    readonly subscriptionId: SubscriptionId;
    readonly email: string;
    readonly plan: PlanName;
    readonly processorCustomerId: string | null;
  },
  act: Act,
): Change {
  const { id, subscriptionId, plan, processorCustomerId } = identity;
  const next: Account = {
    id,
    email: identity.email.toLowerCase(),
    processorCustomerId,
    openedAt: act.at,
    subscription: { id: subscriptionId, plan, state: 'active', standing: { status: 'active' } },
    keys: [],
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

/** One more key, within the allowance of the plan (section 5.3). */
export function issueKey(account: Account, fresh: FreshKey, plan: Plan, act: Act): Change | Refusal {
  const refusal = whyNotIssue(account.subscription, account.keys, plan);
  if (refusal !== null) return refusal;
  return withKey(account, { ...fresh, predecessor: null, overlapEndsAt: null }, act);
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

/** Retires a key that has an active replacement, or revokes it at once (section 5.4, D22, D23). */
export function revokeKey(
  account: Account,
  id: KeyId,
  cause: 'rotation' | 'manual',
  act: Act,
): Change | Refusal {
  if (cause === 'manual') return strike(account, id, 'revoked', act);
  const change = strike(account, id, 'rotated', act);
  return isRefusal(change) || hasReplacement(account, id) ? change : refuse('no_replacement');
}

/** What is placed on one key, and lifted from it (D21). */
export const strikeKey = (
  account: Account,
  id: KeyId,
  event: 'held' | 'released' | 'abuse_cleared',
  act: Act,
): Change | Refusal => strike(account, id, event, act);

/** What happens to one key, by the table of section 3.1. */
function strike(account: Account, id: KeyId, event: KeyEvent, act: Act): Change | Refusal {
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
  return {
    next: { ...account, subscription: { ...account.subscription, standing }, keys },
    entries: [{ ...act, event, key: null }],
  };
}

/** The subscription ends, and all its keys with it (section 3.1). */
export function cancelSubscription(account: Account, act: Act): Change {
  return {
    next: {
      ...account,
      subscription: { ...account.subscription, state: 'canceled' },
      keys: account.keys.map((key) => struck(key, 'cancelled', act.at)),
    },
    entries: [{ ...act, event: 'cancelled', key: null }],
  };
}

/** When the account next changes by the passing of time alone; null while it does not. */
export function nextDue(account: Account): Moment | null {
  return overlapDue(account)?.overlapEndsAt ?? null;
}

/**
 * The account as it stands after everything that fell due by `now`, each thing as of the moment it
 * fell due. Every decision starts from here, so that it does not matter how late due work runs.
 */
export function settled(account: Account, now: Moment): Change {
  let change: Change = { next: account, entries: [] };
  for (;;) {
    const successor = overlapDue(change.next);
    if (successor === undefined || successor.overlapEndsAt === null || successor.overlapEndsAt > now) {
      return change;
    }
    const { next, entries } = endOverlap(change.next, successor, successor.overlapEndsAt);
    change = { next, entries: [...change.entries, ...entries] };
  }
}

/** A decision on the account as it stands at `now`. */
export function decideAt(
  account: Account,
  now: Moment,
  decide: (current: Account) => Change | Refusal,
): Change | Refusal {
  const due = settled(account, now);
  const change = decide(due.next);
  return isRefusal(change) ? change : { ...change, entries: [...due.entries, ...change.entries] };
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

/** The successor whose overlap ends first, of those that are still open. */
function overlapDue({ keys }: Account): ApiKey | undefined {
  return keys
    .filter((key) => key.overlapEndsAt !== null && openPredecessor(keys, key) !== undefined)
    .sort((a, b) => ((a.overlapEndsAt ?? '') < (b.overlapEndsAt ?? '') ? -1 : 1))
    .at(0);
}

/** The older key is retired if its successor is active then; else the overlap stays open (D23). */
function endOverlap(account: Account, successor: ApiKey, at: Moment): Change {
  const keys = account.keys.map((key) => (key === successor ? { ...key, overlapEndsAt: null } : key));
  const unlimited: Change = { next: { ...account, keys }, entries: [] };
  if (successor.predecessor === null) return unlimited;
  if (derivedState(successor.state, account.subscription.standing).status !== 'active') return unlimited;
  const act: Act = { actor: 'service', reason: 'the overlap with its successor ended', at };
  const retired = strike(unlimited.next, successor.predecessor, 'rotated', act);
  return isRefusal(retired) ? unlimited : retired;
}

function struck(key: ApiKey, event: KeyEvent, at: Moment): ApiKey {
  const state = transition(key.state, event, at);
  return isRefusal(state) ? key : { ...key, state };
}
