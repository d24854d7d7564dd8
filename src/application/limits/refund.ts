import { givenBack, type Limit, type Place } from '../../domain/limits/rate-limit.js';
import type { Counters } from '../ports/limits/counters.js';

/**
 * Gives back the permits of a request that costs nothing, and returns the limits as they stand then (D34). Best effort:
 * a refund that fails must not fail the answer, and is never tried again.
 */
export async function refunded(
  { limits, places }: { readonly limits: readonly Limit[]; readonly places: readonly Place[] },
  counters: Counters,
): Promise<readonly Limit[]> {
  if (places.length === 0) return limits; // It took none.
  await counters.giveBack(places, 1).catch(() => {});
  return givenBack(limits);
}
