import type { Permit } from '../../../domain/limits/rate-limit.js';
import type { MaybePromise } from '../../maybe-promise.js';

/**
 * Counters that all instances share. A call gets at most as many permits as each of its counters has left. Each call
 * states the counters, their capacities and their lifetimes (`domain/limits/rate-limit.ts`).
 *
 * What every adapter guarantees:
 * - `take` is atomic: if several callers want the last permit, exactly one gets it (T14);
 * - it adds the same number to every named counter, or nothing to any of them;
 * - a counter lives at least `lifetimeSeconds` after its first count;
 * - `giveBack` never takes a counter below zero, and ignores a counter that is gone (D34);
 * - `giveBack` gives back to the counters that have counted the permits, which the receipt of `take` states;
 * - an adapter that cannot answer in time throws `Unavailable`.
 */
export interface Counters {
  /** Takes up to `upTo` permits from all counters at once: 0 only reads them, 1 is a request, more is a permit lease. */
  take(permits: readonly Permit[], upTo: number): MaybePromise<Taken>;
  /** `n` may be less than the receipt was granted. */
  giveBack(receipt: Receipt, n: number): MaybePromise<void>;
}

/** `counts` are in the order of the permits, and include the permits granted by this call. */
export type Taken = {
  readonly granted: number;
  readonly counts: readonly number[];
  readonly receipt: Receipt;
  /** Whether this call has created the last counter, the one of the longest window. */
  readonly isNew?: boolean;
};

/** Raises each counter to the count at the same index, unless it is greater already. */
export type RaiseCounts = (permits: readonly Permit[], counts: readonly number[]) => Promise<void>;

/** The counters that have counted the permits of a call. */
export type Receipt = {
  readonly permits: readonly Permit[];
  /** Whether only this process has counted them, because the shared counters were unavailable (D35). */
  readonly isLocal: boolean;
};
