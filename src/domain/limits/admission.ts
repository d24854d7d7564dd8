import { admittedBySubscription, type Subscription } from '../billing/subscription.js';
import { admittedByKey, derivedState, type KeyState } from '../keys/api-key.js';
import type { KeyControls } from '../keys/key-controls.js';
import { isWithin } from '../keys/network.js';
import type { Moment } from '../moment.js';
import { isRefusal, type Refusal } from '../refusal.js';

/** What steps 3 and 4 of the gateway can refuse. */
export type AccessRefusal = Refusal<
  'key_revoked' | 'key_suspended' | 'payment_required' | 'subscription_incomplete' | 'subscription_paused'
>;

const ACTIVE: KeyState = { status: 'active' };

/**
 * Steps 3 and 4 of the gateway (contract section 5.5): why a reader is refused; null if it is admitted.
 *
 * Step 3 checks the state of the key, step 4 that of the subscription. An account holder reads pages without a key. For
 * this the default is an active key, so that only the subscription counts.
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

/** Why a key with these controls may not be used from an address (D72); null if it may. */
export const whyAddressRefused = (
  controls: Pick<KeyControls, 'allowlist'> | null,
  address: string,
): Refusal<'address_not_allowed'> | null =>
  controls === null || controls.allowlist.length === 0 || isWithin(address, controls.allowlist)
    ? null
    : { refused: 'address_not_allowed', address };
