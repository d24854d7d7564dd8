/**
 * Whether the shared counters have lost a count, for example because Redis was restarted without its data (D35). An instance knows
 * `last`, the last count that it got, and `own`, the permits that it has taken and not given back; the shared count includes these.
 * `before` is the count before this call. A count below the last one alone is no proof: other instances give permits back.
 * `isDoubtful` states a sign of loss: the call has created the counter, or the shared counters were unavailable since the last count.
 */
export const isCountLost = (last: number, own: number, before: number, isDoubtful: boolean): boolean =>
  before < own || (isDoubtful && before < last);

/** The count to which an instance raises a lost one. The shared counters keep the greatest of all instances. */
export const restoredCount = (last: number, own: number): number => Math.max(last, own);
