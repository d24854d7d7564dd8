import { MINUTE, type Moment, plus } from '../moment.js';
import { isRefusal, type Refusal, refuse } from '../refusal.js';
import type { KeyControls } from './key-controls.js';
import type { KeyHash } from './key-value.js';
import type { Label } from './label.js';
import type { Scope } from './scope.js';
import { type CauseEvent, type SuspensionCause, suspensionCauseOf, union, without } from './suspension.js';

export const REVOCATION_CAUSES = ['rotation', 'cancellation', 'manual', 'expiry'] as const;
export type RevocationCause = (typeof REVOCATION_CAUSES)[number];

export type Active = { readonly status: 'active' };
export type Suspended = { readonly status: 'suspended'; readonly causes: readonly SuspensionCause[] };
export type Revoked = {
  readonly status: 'revoked';
  readonly cause: RevocationCause;
  readonly revokedAt: Moment;
  /** The end of the grace window; equal to `revokedAt` if the key has none (D22). */
  readonly worksUntil: Moment;
  /**
   * Whether the key was on hold when it was revoked. Such a key counts towards the allowance until the release (D21).
   */
  readonly held: boolean;
};

/** The state of a subscription, or of a key that is not revoked: active, or suspended with its causes. */
export type Suspension = Active | Suspended;
export type KeyState = Suspension | Revoked;

declare const keyId: unique symbol;
export type KeyId = string & { readonly [keyId]: true };

/** A stored key. Its value is never stored (contract section 2.12). */
export type ApiKey = {
  readonly id: KeyId;
  readonly hash: KeyHash;
  /** The first characters of the value, for display (D42). */
  readonly prefix: string;
  readonly label: Label | null;
  readonly scopes: readonly Scope[];
  readonly issuedAt: Moment;
  /** The older key of the rotation that issued this key (D23). */
  readonly predecessor: KeyId | null;
  /** When the service checks or ends the overlap with the predecessor (`overlap.ts`). */
  readonly overlapEndsAt: Moment | null;
  /** When the first request with this successor was admitted, once a check of its overlap has found one; else null. */
  readonly firstUsedAt: Moment | null;
  /** What its owner has set (D72). */
  readonly controls: KeyControls;
  /** When the owner is reminded of the expiry; null if there is no further reminder. */
  readonly remindAt: Moment | null;
  /** Its own state, without the causes on its subscription; see `derivedState`. */
  readonly state: KeyState;
};

/**
 * Events of a key. `rotated` retires the older key of a rotation. The successor was issued before, when the rotation
 * began (D23).
 */
export const KEY_EVENTS = [
  'payment_failed',
  'invoice_paid',
  'abuse_detected',
  'abuse_cleared',
  'held',
  'released',
  'rotated',
  'cancelled',
  'revoked',
  'expired',
] as const;
export type KeyEvent = (typeof KEY_EVENTS)[number];

/** The cause of revocation for each event that revokes (D22). */
const REVOKED_BY: Readonly<Record<Exclude<KeyEvent, CauseEvent>, RevocationCause>> = {
  rotated: 'rotation',
  cancelled: 'cancellation',
  revoked: 'manual',
  expired: 'expiry',
};

/**
 * The suspension cause that an event starts or ends, or the cause of its revocation (D20, D22); null for other events.
 */
export const causeOfEvent = (event: string): SuspensionCause | RevocationCause | null =>
  suspensionCauseOf(event) ?? Object.entries(REVOKED_BY).find(([name]) => name === event)?.[1] ?? null;

type In<S extends KeyState['status']> = Extract<KeyState, { status: S }>;
type Transition<S extends KeyState['status']> = (state: In<S>, at: Moment) => KeyState | Refusal;

/**
 * The grace window of a rotated key (contract section 5.4, D22): the key is revoked and still works.
 *
 * It starts when a key without a suspension cause is revoked as `rotated`, by its holder or at the end of an overlap
 * (`overlap.ts`). No other revocation starts one, and neither does the rotation of a suspended key.
 *
 * It ends 5 minutes later: requests are admitted while `now < worksUntil`, then the answer is 401 `key_revoked`. Each
 * event with `endGrace` in the column `revoked` below ends it at once, on the key or on its subscription: payment
 * failure, abuse, a hold, a cancellation, a manual revocation, the expiry. No event prolongs it or starts it again, also no payment
 * and no release.
 */
export const GRACE = 5 * MINUTE;

/** Contract section 3.1: the transition for each event and state. */
// biome-ignore format: a table is read by its columns
const TRANSITIONS: { readonly [E in KeyEvent]: { readonly [S in KeyState['status']]: Transition<S> } } = {
  payment_failed: { active: suspend('payment_failure'), suspended: suspend('payment_failure'), revoked: endGrace },
  invoice_paid:   { active: keep,                       suspended: lift('payment_failure'),    revoked: keep },
  abuse_detected: { active: suspend('abuse'),           suspended: suspend('abuse'),           revoked: endGrace },
  abuse_cleared:  { active: keep,                       suspended: lift('abuse'),              revoked: keep },
  held:           { active: suspend('manual_hold'),     suspended: suspend('manual_hold'),     revoked: endGrace },
  released:       { active: keep,                       suspended: lift('manual_hold'),        revoked: clearHeld },
  rotated:        { active: revoke('rotation', GRACE),  suspended: revoke('rotation'),         revoked: refuseRevoked },
  cancelled:      { active: revoke('cancellation'),     suspended: revoke('cancellation'),     revoked: endGrace },
  revoked:        { active: revoke('manual'),           suspended: revoke('manual'),           revoked: endGrace },
  expired:        { active: revoke('expiry'),           suspended: revoke('expiry'),           revoked: endGrace },
};

export function transition(state: KeyState, event: KeyEvent, at: Moment): KeyState | Refusal {
  const transitionOf = TRANSITIONS[event][state.status] as Transition<KeyState['status']>;
  return transitionOf(state, at);
}

/** Applies the same table to a subscription, which is never revoked. */
export function suspensionAfter(suspension: Suspension, event: CauseEvent, at: Moment): Suspension {
  return transition(suspension, event, at) as Suspension;
}

/** Whether an event would change the state of a key or a subscription. */
export function changes(state: KeyState, event: KeyEvent, at: Moment): boolean {
  const next = transition(state, event, at);
  return !isRefusal(next) && !isSame(state, next);
}

function isSame(one: KeyState, other: KeyState): boolean {
  if (one.status === 'revoked' && other.status === 'revoked') {
    return one.worksUntil === other.worksUntil && one.held === other.held;
  }
  return one.status === other.status && causesOf(one).length === causesOf(other).length;
}

/** The effective state of a key: its own causes and those of its subscription together (D20). */
export function derivedState(state: KeyState, subscription: Suspension): KeyState {
  if (state.status === 'revoked') return state;
  const causes = union(causesOf(state), causesOf(subscription));
  return causes.length > 0 ? { status: 'suspended', causes } : { status: 'active' };
}

export const causesOf = (state: KeyState): readonly SuspensionCause[] =>
  state.status === 'suspended' ? state.causes : [];

/**
 * The end of a running grace window; null if there is none. At exactly this end the key no longer works (D22). A key without a
 * window does not work before its revocation, nor one whose window was ended until that time: the clock that wrote it may be
 * ahead of `now`.
 */
export const graceUntil = (state: KeyState, now: Moment): Moment | null =>
  state.status === 'revoked' && isWindowWhole(state) && now < state.worksUntil ? state.worksUntil : null;

const isWindowWhole = ({ revokedAt, worksUntil }: Revoked): boolean => worksUntil >= plus(revokedAt, GRACE);

/**
 * Whether there are keys and all of them are revoked without a grace window. No change of the subscription restores
 * them (D22).
 */
export const areRevoked = (keys: readonly ApiKey[], now: Moment): boolean =>
  keys.length > 0 && keys.every(({ state }) => state.status === 'revoked' && graceUntil(state, now) === null);

/** Step 3 of the gateway: whether a request with a key in this derived state is admitted. */
export function admittedByKey(
  state: KeyState,
  now: Moment,
): Refusal<'key_revoked' | 'key_suspended'> | { readonly admitted: true } {
  switch (state.status) {
    case 'active':
      return { admitted: true };
    case 'suspended':
      return { refused: 'key_suspended', causes: state.causes };
    case 'revoked':
      return graceUntil(state, now) === null ? refuse('key_revoked') : { admitted: true };
  }
}

function suspend(cause: SuspensionCause) {
  return (state: Suspension): Suspended => ({ status: 'suspended', causes: union(causesOf(state), [cause]) });
}

function lift(cause: SuspensionCause) {
  return (state: Suspended): Suspension => {
    const causes = without(state.causes, cause);
    return causes.length > 0 ? { status: 'suspended', causes } : { status: 'active' };
  };
}

function revoke(cause: RevocationCause, grace = 0) {
  return (state: Suspension, at: Moment): Revoked => ({
    status: 'revoked',
    cause,
    revokedAt: at,
    worksUntil: plus(at, grace),
    held: causesOf(state).includes('manual_hold'),
  });
}

export function endGrace(state: Revoked, at: Moment): Revoked {
  return at < state.worksUntil ? { ...state, worksUntil: at } : state;
}

function clearHeld(state: Revoked): Revoked {
  return { ...state, held: false };
}

function keep<S extends KeyState>(state: S): S {
  return state;
}

function refuseRevoked(): Refusal {
  return refuse('key_revoked');
}
