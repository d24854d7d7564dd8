import type { KeyHash } from '../../domain/keys/key-value.js';

/** A message that copies are outdated: those of some keys of an account, or those of the feed. */
export type Invalidation =
  | { readonly changed: 'account'; readonly keys: readonly KeyHash[] }
  | { readonly changed: 'feed' };

/**
 * Invalidations between instances.
 *
 * What every adapter guarantees:
 * - a listener receives the invalidations of its own instance and of all others;
 * - `send` never throws, because the change is stored already: an invalidation that cannot be sent is lost;
 * - a lost invalidation delays a change by at most 1.5 s (D39), because copies also follow the change logs.
 */
export interface Invalidations {
  send(invalidation: Invalidation): Promise<void>;
  /** Returns a function that removes the listener. */
  listen(listener: (invalidation: Invalidation) => void): () => void;
}
