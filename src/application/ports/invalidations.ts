import type { KeyHash } from '../../domain/keys/key-value.js';

/** That something changed, for those who keep a copy of it. */
export type Invalidation =
  | { readonly changed: 'account'; readonly keys: readonly KeyHash[] }
  | { readonly changed: 'feed' };

/**
 * Hints between instances.
 *
 * What each adapter keeps:
 * - a listener hears signals sent by its own instance and by all others;
 * - sending never fails what it tells of: a hint that cannot be sent is lost;
 * - a lost hint costs at most 5 s, never correctness (D39): who keeps a copy also reads it again.
 */
export interface Invalidations {
  send(invalidation: Invalidation): Promise<void>;
  /** Returns the way to stop listening. */
  listen(listener: (invalidation: Invalidation) => void): () => void;
}
