import type { Permit } from '../../../domain/limits/rate-limit.js';
import type { MaybePromise } from '../../maybe-promise.js';

/**
 * Counters that all instances of the service share. Their one rule is the grant: as much as has room in every counter named.
 * What is counted, up to where, and for how long, is said with each call (`domain/limits/rate-limit.ts`).
 *
 * What each adapter keeps:
 * - looking and counting are one act: of n callers for the last place exactly one gets it (T14);
 * - the same number is added to every counter named, or nothing to any of them;
 * - a counter lives at least `lifetimeSeconds` after its first count;
 * - `giveBack` never takes a counter below zero, and does nothing to one that is gone (D34);
 * - places are given back with the very list that they were taken with;
 * - an adapter that cannot answer in time throws `Unavailable`; it never guesses.
 */
export interface Counters {
  /** Takes up to `upTo` places in all counters at once: 0 only looks, 1 is a request, more is a lease. */
  take(permits: readonly Permit[], upTo: number): MaybePromise<Taken>;
  giveBack(permits: readonly Permit[], n: number): MaybePromise<void>;
}

/** `counts` are in the order asked for, and include what this call was granted. */
export type Taken = { readonly granted: number; readonly counts: readonly number[] };
