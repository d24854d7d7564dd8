/**
 * How many places an instance takes at once, so that most requests need not ask the shared counters. A lease is
 * a part of what is left that this instance may give away by itself; what it does not use it gives back.
 */

/** A policy below this is counted request by request: small limits stay exact to the last place. */
const LEAST_CAPACITY = 1_000;
/** So is one that is nearly used up. */
const NEARLY_USED_UP = 0.1;
/** Never more of a policy at once, whatever is left. */
const MOST_AT_ONCE = 0.05;
/** Of what is left, so that others find something too. */
const SHARE_OF_THE_REST = 1 / 16;

/** Where a policy stands: its quota, and what is taken of it by all instances, their leases counted in. */
export type CounterState = { readonly capacity: number; readonly count: number };

/**
 * The size of the next lease: 1 where each request should take its place by itself. `demand` is what this
 * instance is expected to need while the lease lives.
 */
export function leaseSize(standings: readonly CounterState[], demand: number): number {
  const sizes = standings.map(({ capacity, count }) => {
    const left = capacity - count;
    if (capacity < LEAST_CAPACITY || left < capacity * NEARLY_USED_UP) return 1;
    return Math.min(capacity * MOST_AT_ONCE, left * SHARE_OF_THE_REST);
  });
  return Math.max(1, Math.floor(Math.min(demand, ...sizes)));
}
