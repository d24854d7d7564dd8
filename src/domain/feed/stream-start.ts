import { type Duration, LAST_MOMENT, MICROSECOND, type Moment, plus } from '../moment.js';
import { isAfter, NO_MARK, type Position, samePosition } from './position.js';
import type { Progress, ReplayProgress } from './stream-position.js';

/** Where a client asks a stream to start (D48). `now`: with the next change. */
export type StreamStart =
  | { readonly from: 'now' }
  | { readonly from: 'time'; readonly since: Moment }
  | { readonly from: 'progress'; readonly progress: Progress };

/** The change log as a process knows it: the numbers of its oldest change, and its newest change. */
export type KnownLog = { readonly oldest: number; readonly newest: Position };

/** The change log position that a stream needs: every later change is sent. */
export const logPositionOf = (progress: Progress): Position =>
  progress.of === 'log' ? progress.position : progress.began;

/** The changes that the log must still have, so that a stream can continue. */
export const neededChanges = (progress: Progress): readonly Position[] =>
  progress.of === 'log' ? [progress.position] : [progress.began, progress.seen];

/**
 * Whether the log still has the changes after a position (D45, D46). `stored` is the change that the log has under the
 * number of the position; null if it has none.
 *
 * - `valid`: a stream can continue there;
 * - `ahead`: this process may not have read the change yet;
 * - `expired`: the changes were removed, or the store has returned to an older state. So is a position without a mark,
 *   which two changes may have.
 */
export function positionState(
  position: Position,
  { oldest, newest }: KnownLog,
  stored: Position | null,
): 'valid' | 'ahead' | 'expired' {
  if (isAfter(position, newest)) return 'ahead';
  const isKnown = position.n >= oldest && position.mark !== NO_MARK && samePosition(position, stored);
  return isKnown ? 'valid' : 'expired';
}

/** Whether a replay from `since` needs only changes that are still kept (D48). */
export const isReplayKept = (since: Moment, now: Moment, changesKept: Duration): boolean =>
  since >= plus(now, -changesKept);

/**
 * Whether a position inside a replay can be one that this service has sent. The replay began at a change that is still kept,
 * with a `since` that was kept then: so it has reached at least a time of twice that age. An invented one could reach further
 * back.
 */
export const isReplayPossible = (progress: Progress, now: Moment, changesKept: Duration): boolean =>
  progress.of === 'log' || progress.reached >= plus(now, -2 * changesKept);

/** A replay of the items at or after `since`, before it sends the first one. */
export const replayFrom = (since: Moment, began: Position): Progress => ({
  of: 'replay',
  began,
  seen: began,
  reached: plus(since, -MICROSECOND),
});

/** Whether the next message of a stream is an item of a replay. Otherwise it is a change. */
export const isInItems = (progress: Progress): progress is ReplayProgress =>
  progress.of === 'replay' && progress.reached < LAST_MOMENT;

/**
 * The progress after the changes up to `position`. `seen` is the newest change because of which an item of a replay, or a
 * change that a later one supersedes, was left out: if the store loses it, it may have that item again (D45).
 */
export const afterChanges = (position: Position, seen: Position | null): Progress =>
  seen !== null && isAfter(seen, position)
    ? { of: 'replay', began: position, seen, reached: LAST_MOMENT }
    : { of: 'log', position };

/**
 * Whether a replay sends an item: if it has changed after the replay began, the change is sent afterwards (D48). `n` is
 * the number of the last change of the item.
 */
export const isReplayed = ({ n }: { readonly n: number }, began: Position): boolean => n <= began.n;
