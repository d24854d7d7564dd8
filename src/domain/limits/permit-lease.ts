/**
 * The size of permit leases. An instance takes several permits of the shared counters in one call, and grants them to
 * its requests without further calls. It gives unused permits back.
 */

/** With a smaller quota there are no leases: each request takes its own permit, so that small limits stay exact. */
const LEASED_CAPACITY_MIN = 1_000;
/** With a smaller remaining share of the quota there are no leases either. */
const REMAINING_SHARE_MIN = 0.1;
/** The largest share of a quota in one lease. */
const SHARE_OF_QUOTA_MAX = 0.05;
/** The largest share of the remaining permits in one lease, so that other instances get permits too. */
const SHARE_OF_REMAINING_MAX = 1 / 16;

/** The quota of a policy, and the permits that all instances have taken, including their leases. */
export type CounterState = { readonly capacity: number; readonly count: number };

/**
 * The size of the next lease; 1 means that each request takes its own permit. `demand` is the number of permits that this
 * instance is expected to need during the lease.
 */
export function permitLeaseSize(states: readonly CounterState[], demand: number): number {
  const sizes = states.map(({ capacity, count }) => {
    const remaining = capacity - count;
    if (capacity < LEASED_CAPACITY_MIN || remaining < capacity * REMAINING_SHARE_MIN) return 1;
    return Math.min(capacity * SHARE_OF_QUOTA_MAX, remaining * SHARE_OF_REMAINING_MAX);
  });
  return Math.max(1, Math.floor(Math.min(demand, ...sizes)));
}
