import type { Position } from '../feed/position.js';
import { between, type Moment, plus, SECOND } from '../moment.js';
import { SeededRandom } from '../stories/seeded-random.js';

/** The time from one change of the sandbox to the next (D77). */
export const CHANGE_EVERY = 30 * SECOND;

/** The feed and the history have the newest changes only: those of two hours. A round takes 20 ms to compute. */
export const CHANGES_KEPT = 240;

/** When change 0 would have been. It fixes all numbers, so it never changes. */
const BEGAN = '2026-01-01T00:00:00.000000Z' as Moment;

/** A past page at the oldest change that is kept has as many changes before it. An earlier clock shows this change. */
const FIRST_NEWEST = 2 * CHANGES_KEPT;

/** The number of the newest change at a time: the same in every process. */
export const newestChangeAt = (at: Moment): number =>
  Math.max(FIRST_NEWEST, Math.floor(between(BEGAN, at) / CHANGE_EVERY));

/** When a change is made, becomes known, and is scored. */
export const timeOfChange = (n: number): Moment => plus(BEGAN, n * CHANGE_EVERY);

/** The oldest change of the log, if `newest` is the newest one. */
export const oldestChange = (newest: number): number => newest - CHANGES_KEPT;

const MARK_HALF = 0xffff_ffff;

/** The position of a change, in the form of real positions (D44). Its mark is computed from its number. */
export function sandboxPosition(n: number): Position {
  const random = SeededRandom.of(`sandbox change ${n}`);
  const half = () => random.whole(0, MARK_HALF).toString(16).padStart(8, '0');
  return { n, mark: half() + half() };
}
