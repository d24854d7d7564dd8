import { type Limit, limitsAfterRefund, type Permit } from '../../domain/limits/rate-limit.js';
import { andThen, type MaybePromise, orElse } from '../maybe-promise.js';
import type { Counters } from '../ports/limits/counters.js';

/**
 * Gives back the permits of a request that costs nothing, and returns the limits after that (D34). Best effort: a
 * failed refund does not make the response fail, and is not retried.
 */
export function refund(
  { limits, permits }: { readonly limits: readonly Limit[]; readonly permits: readonly Permit[] },
  counters: Counters,
): MaybePromise<readonly Limit[]> {
  if (permits.length === 0) return limits;
  const refund = orElse(
    () => counters.giveBack(permits, 1),
    () => {},
  );
  return andThen(refund, () => limitsAfterRefund(limits));
}
