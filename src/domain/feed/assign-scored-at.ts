import { latest, MICROSECOND, type Moment, plus, SECOND } from '../moment.js';

export const PUBLISH_MODES = ['live', 'backfill'] as const;
export type PublishMode = (typeof PUBLISH_MODES)[number];

/**
 * How far a `scored_at` may be ahead of the clock. A publisher whose clock is wrong must not move the head far (D7).
 */
const FUTURE_TOLERANCE = 5 * SECOND;

/** The greatest `scored_at` that a publication may have, and so the greatest head. */
export const latestAllowed = (now: Moment): Moment => plus(now, FUTURE_TOLERANCE);

export const isFuture = (scoredAt: Moment, now: Moment): boolean => scoredAt > latestAllowed(now);

/**
 * The `scored_at` that an item gets, and the head after it (D6, D7).
 *
 * Live: always above the head. Backfill: the time of the publication, or the next free microsecond. `isTaken` must not
 * count the older version of the same item: the new version may get its time.
 */
export function assignScoredAt(
  head: Moment | null,
  isTaken: (at: Moment) => boolean,
  scoredAt: Moment,
  mode: PublishMode,
): { readonly at: Moment; readonly head: Moment } {
  if (mode === 'live') {
    const at = head === null ? scoredAt : latest(scoredAt, plus(head, MICROSECOND));
    return { at, head: at };
  }
  let at = scoredAt;
  while (isTaken(at)) at = plus(at, MICROSECOND);
  return { at, head: head === null ? at : latest(head, at) };
}
