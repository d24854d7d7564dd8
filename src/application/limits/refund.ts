import { givenBack, type Limit, type Permit } from '../../domain/limits/rate-limit.js';
import { andThen, type MaybePromise, orElse } from '../maybe-promise.js';
import type { Counters } from '../ports/limits/counters.js';

/**
 * Gives back the permits of a request that costs nothing, and returns the limits as they stand then (D34). Best effort:
 * a refund that fails must not fail the answer, and is never tried again.
 */
export function refunded(
  { limits, permits }: { readonly limits: readonly Limit[]; readonly permits: readonly Permit[] },
  counters: Counters,
): MaybePromise<readonly Limit[]> {
  if (permits.length === 0) return limits; // It took none.
  const refund = orElse(
    () => counters.giveBack(permits, 1),
    () => {},
  );
  return andThen(refund, () => givenBack(limits));
}
