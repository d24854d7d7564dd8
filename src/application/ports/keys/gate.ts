import type { Subscription } from '../../../domain/billing/subscription.js';
import type { KeyId, KeyState } from '../../../domain/keys/api-key.js';
import type { KeyHash } from '../../../domain/keys/key-value.js';
import type { Scope } from '../../../domain/keys/scope.js';
import type { MaybePromise } from '../../maybe-promise.js';

/** All that admission asks of a key: small, so that many can be held. */
export type GateEntry = {
  readonly key: { readonly id: KeyId; readonly state: KeyState; readonly scopes: readonly Scope[] };
  readonly subscription: Subscription;
};

/**
 * What the gateway must know of a key, found by the hash of its value.
 *
 * What each adapter keeps:
 * - null means that no such key exists; a store that cannot say throws `Unavailable` (D35);
 * - a key that was just issued is found;
 * - a change is seen within 5 s at the latest, and at once by whoever hears its signal (D39).
 */
export interface Gate {
  find(hash: KeyHash): MaybePromise<GateEntry | null>;
}
