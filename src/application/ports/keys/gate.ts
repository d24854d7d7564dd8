import type { Subscription } from '../../../domain/billing/subscription.js';
import type { Position } from '../../../domain/feed/position.js';
import type { KeyId, KeyState } from '../../../domain/keys/api-key.js';
import type { KeyControls } from '../../../domain/keys/key-controls.js';
import type { KeyHash } from '../../../domain/keys/key-value.js';
import type { Scope } from '../../../domain/keys/scope.js';
import type { MaybePromise } from '../../maybe-promise.js';

/** The data of a key that admission needs. It is small, so that many entries fit in memory. */
export type GateEntry = {
  readonly key: {
    readonly id: KeyId;
    readonly state: KeyState;
    readonly scopes: readonly Scope[];
    /** What its owner has set (D72). Null: nothing. */
    readonly controls: KeyControls | null;
  };
  readonly subscription: Subscription;
};

/**
 * Finds a key and its subscription by the hash of the key's value.
 *
 * What every adapter guarantees:
 * - null means that no such key exists; a store that cannot answer throws `Unavailable` (D35);
 * - a key is found as soon as it has been issued;
 * - a change is visible after its invalidation, and within 1.5 s if that is lost (D39).
 */
export interface Gate {
  find(hash: KeyHash): MaybePromise<GateEntry | null>;
}

/** The answer of a store, with the position of the newest change of accounts in the snapshot that it was read from. */
export type GateSnapshot = { readonly entry: GateEntry | null; readonly position: Position };

/**
 * The gate of a store whose changes are logged (`change-logs.ts`).
 *
 * What every adapter guarantees in addition: an entry has every change up to its position, and none after it.
 */
export interface StoredGate extends Gate {
  /** What `find` returns, with its position. */
  snapshot(hash: KeyHash): MaybePromise<GateSnapshot>;
}
