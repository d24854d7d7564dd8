import type { KeyId } from '../keys/api-key.js';
import type { RecordedUsage, Window } from './rate-limit.js';
import type { StatusClass } from './usage.js';

/**
 * From which usage a count is restored that no running instance has seen (D35), and to how much. The usage must never be more than
 * the permits that were taken: a client that has permits left is not refused.
 */

/** Usage is counted by hour, so it shows what was used in windows of whole hours only. */
const HOUR_SECONDS = 3_600;

/** A new counter of a younger window is no sign of loss. So subscriptions that are busy when a day begins cost no read. */
const YOUNG_SECONDS = 60;

/** The usage of a window of the subscription of `key`; null if the window is young, or if its usage is not known. */
export const recordedUsage = (
  { policy: { seconds }, endsAt, secondsLeft }: Window,
  key: KeyId | null,
): RecordedUsage | null =>
  key === null || seconds % HOUR_SECONDS !== 0 || seconds - secondsLeft < YOUNG_SECONDS
    ? null
    : { key, since: endsAt - seconds };

/**
 * The permits that these requests have taken at least. A successful one has certainly taken one: one that was free counts as 304
 * (`countedStatus`). Of the others, the class does not say whether they were free.
 */
export const leastUsed = (requests: Readonly<Record<StatusClass, number>>): number => requests['2xx'];
