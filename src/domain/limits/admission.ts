import { admittedBySubscription, type Subscription } from '../billing/subscription.js';
import { admittedByKey, derivedState, type KeyState } from '../keys/api-key.js';
import type { Moment } from '../moment.js';
import { isRefusal, type Refusal } from '../refusal.js';

/** What steps 3 and 4 of the gateway can refuse. */
export type AccessRefusal = Refusal<
  'key_revoked' | 'key_suspended' | 'payment_required' | 'subscription_incomplete' | 'subscription_paused'
>;

const ACTIVE: KeyState = { status: 'active' };

/**
 * Steps 3 and 4 of the gateway (contract section 5.5): why a reader is refused; null when it may read.
 *
 * A request is refused by the state of its key or of its subscription. An account holder reads pages without a key, so
 * that only the subscription counts, as it does for an active key.
 */
export function whyAccessRefused(
  subscription: Subscription,
  now: Moment,
  key: KeyState = ACTIVE,
): AccessRefusal | null {
  const byKey = admittedByKey(derivedState(key, subscription.suspension), now);
  if (isRefusal(byKey)) return byKey;
  const bySubscription = admittedBySubscription(subscription);
  return isRefusal(bySubscription) ? bySubscription : null;
}
