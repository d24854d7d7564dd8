import { latest, MICROSECOND, type Moment, plus, SECOND } from '../moment.js';

export const PUBLISH_MODES = ['live', 'backfill'] as const;
export type PublishMode = (typeof PUBLISH_MODES)[number];

/** How far ahead of the clock an item may be scored; a wrong publisher clock must not drag the head away (D7). */
const FUTURE_TOLERANCE = 5 * SECOND;

export const isFuture = (scoredAt: Moment, now: Moment): boolean => scoredAt > plus(now, FUTURE_TOLERANCE);

/**
 * Where an item lands, and what the high-water mark is then (D6, D7).
 *
 * Live: behind the mark there is no landing. Backfill: at its own time, or the next free microsecond.
 * `isTaken` speaks of other items only: the place an item leaves by being replaced is free.
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
