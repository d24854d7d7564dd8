import type { Plan } from '../billing/plan.js';
import { admittedBySubscription, type Subscription } from '../billing/subscription.js';
import { type Refusal, refuse } from '../refusal.js';
import { type ApiKey, causesOf, derivedState } from './api-key.js';
import { openPredecessor, openSuccessor } from './overlap.js';

/** A key that was revoked while on hold counts against the allowance until it is released (D21). */
const isInUse = ({ state }: ApiKey): boolean => state.status !== 'revoked' || state.held;

/**
 * The number of keys that count against the allowance. During an overlap, a key and its successor count as one (D23).
 */
export const keysInUse = (keys: readonly ApiKey[]): number =>
  keys.filter(isInUse).length - keys.filter((key) => openSuccessor(keys, key) !== undefined).length;

/** Why the account cannot get another key (contract section 5.3, D21, D23, D24); null if it can. */
export function whyNotIssue(subscription: Subscription, keys: readonly ApiKey[], plan: Plan): Refusal | null {
  const noNewKeys = whyNoNewKeys(subscription);
  if (noNewKeys !== null) return noNewKeys;
  return keysInUse(keys) < plan.keys ? null : { refused: 'allowance_exceeded', allowance: plan.keys };
}

/** Why a key cannot be rotated (D21, D23); null if it can. */
export function whyNotRotate(
  subscription: Subscription,
  keys: readonly ApiKey[],
  key: ApiKey,
): Refusal | null {
  if (key.state.status === 'revoked') return refuse('key_revoked');
  const causes = causesOf(derivedState(key.state, subscription.suspension));
  if (causes.length > 0) return { refused: 'key_suspended', causes };
  const noNewKeys = whyNoNewKeys(subscription);
  if (noNewKeys !== null) return noNewKeys;
  const overlaps = openPredecessor(keys, key) !== undefined || openSuccessor(keys, key) !== undefined;
  return overlaps ? refuse('rotation_open') : null;
}

/** A new key must not bypass a suspension (D21). */
function whyNoNewKeys(subscription: Subscription): Refusal | null {
  const causes = causesOf(subscription.suspension);
  if (causes.length > 0) return { refused: 'key_suspended', causes };
  if (subscription.state === 'canceled') return refuse('payment_required');
  const answer = admittedBySubscription(subscription);
  return 'refused' in answer ? answer : null;
}
