import type { Plan } from '../billing/plan.js';
import { admittedBySubscription, type Subscription } from '../billing/subscription.js';
import { type Refusal, refuse } from '../refusal.js';
import { type ApiKey, causesOf, derivedState } from './api-key.js';
import { openPredecessor, openSuccessor } from './overlap.js';

/** A key revoked under a hold of its own keeps its place until it is released (D21). */
const isInUse = ({ state }: ApiKey): boolean => state.status !== 'revoked' || state.held;

/** Keys that count against the allowance: a key and its open successor are one (D23). */
export const keysInUse = (keys: readonly ApiKey[]): number =>
  keys.filter(isInUse).length - keys.filter((key) => openSuccessor(keys, key) !== undefined).length;

/** Whether the account may have one more key (contract section 5.3, D21, D23, D24); null is yes. */
export function whyNotIssue(subscription: Subscription, keys: readonly ApiKey[], plan: Plan): Refusal | null {
  const onHold = whyNoNewKeys(subscription);
  if (onHold !== null) return onHold;
  return keysInUse(keys) < plan.keys ? null : { refused: 'allowance_exceeded', allowance: plan.keys };
}

/** Whether a key may be given a successor (D21, D23); null is yes. */
export function whyNotRotate(
  subscription: Subscription,
  keys: readonly ApiKey[],
  key: ApiKey,
): Refusal | null {
  if (key.state.status === 'revoked') return refuse('key_revoked');
  const causes = causesOf(derivedState(key.state, subscription.suspension));
  if (causes.length > 0) return { refused: 'key_suspended', causes };
  const onHold = whyNoNewKeys(subscription);
  if (onHold !== null) return onHold;
  const overlaps = openPredecessor(keys, key) !== undefined || openSuccessor(keys, key) !== undefined;
  return overlaps ? refuse('rotation_open') : null;
}

/** A new key must not be a way around a suspension (D21). */
function whyNoNewKeys(subscription: Subscription): Refusal | null {
  const causes = causesOf(subscription.suspension);
  if (causes.length > 0) return { refused: 'key_suspended', causes };
  if (subscription.state === 'canceled') return refuse('payment_required');
  const answer = admittedBySubscription(subscription);
  return 'refused' in answer ? answer : null;
}
