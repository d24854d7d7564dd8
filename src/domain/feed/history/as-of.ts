import type { Moment } from '../../moment.js';
import type { Refusal } from '../../refusal.js';
import { NO_MARK, type Position, samePosition } from '../position.js';

/** The change up to which a reader wants to see the feed (D60): the one at a position, or the last one known at a time. */
export type AsOf =
  | { readonly by: 'position'; readonly position: Position }
  | { readonly by: 'time'; readonly time: Moment };

/** A change of the history, and when it became known (D59). */
export type KnownChange = { readonly position: Position; readonly knownAt: Moment };

/** The change that a page of the past is read at, with the head after it. */
export type PastPoint = KnownChange & { readonly head: Moment | null };

/** What a store has for an `AsOf`. */
export type FoundPoint = {
  /** The change at which the history begins. What was before it is not known. */
  readonly start: KnownChange;
  /** The change with the number of the position, or the last one known at the time. Null if the log has none. */
  readonly point: PastPoint | null;
};

/**
 * The point of the past that a reader asked for. A position with another mark is one of another history (D45), as is one after the
 * newest change; every earlier one than the start of this history is refused alike.
 */
export function pastPoint(
  asOf: AsOf,
  { start, point }: FoundPoint,
): PastPoint | Refusal<'before_history' | 'position_expired'> {
  const isBefore =
    asOf.by === 'position' ? asOf.position.n < start.position.n : point === null || isEarlier(point, start);
  if (isBefore) return { refused: 'before_history', start };
  const isKnown =
    asOf.by === 'time' ||
    (asOf.position.mark !== NO_MARK && samePosition(asOf.position, point?.position ?? null));
  if (point === null || !isKnown) return { refused: 'position_expired', feedHead: null };
  return point;
}

const isEarlier = (point: KnownChange, start: KnownChange): boolean => point.position.n < start.position.n;
