/**
 * How many permits an instance takes at once, so that most requests need no call to the shared counters. A permit lease
 * is a share of the remaining permits that one instance may hand out alone. It gives unused permits back.
 */

/** A policy with a smaller quota is counted request by request: small limits stay exact to the last permit. */
const LEAST_CAPACITY = 1_000;
/** A policy with a smaller remaining share is counted request by request too. */
const NEARLY_USED_UP = 0.1;
/** The largest share of a quota in one lease. */
const MOST_AT_ONCE = 0.05;
/** The share of the remaining permits in one lease, so that other instances get permits too. */
const SHARE_OF_REMAINING = 1 / 16;

/** The quota of a policy, and the permits that all instances have taken, including their leases. */
export type CounterState = { readonly capacity: number; readonly count: number };

/**
 * The size of the next lease; 1 means that each request takes its own permit. `demand` is the number of permits that this
 * instance is expected to need during the lease.
 */
export function permitLeaseSize(states: readonly CounterState[], demand: number): number {
  const sizes = states.map(({ capacity, count }) => {
    const left = capacity - count;
    if (capacity < LEAST_CAPACITY || left < capacity * NEARLY_USED_UP) return 1;
    return Math.min(capacity * MOST_AT_ONCE, left * SHARE_OF_REMAINING);
  });
  return Math.max(1, Math.floor(Math.min(demand, ...sizes)));
}
