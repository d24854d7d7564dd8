/**
 * When a process may use its copies of stored data (D35, D39). It keeps them current by reading logs of changes. All times
 * are milliseconds of a monotonic clock.
 */

/** Copies may be used until this long after the start of the last complete read of the logs. */
const CURRENT_MS = 1_500;
/** A request waits for a read until this long after the start of the read. */
const WAIT_MS = 100;
/** After a pause of this process, requests wait this long for the read that begins then. */
const WAIT_AFTER_PAUSE_MS = 1_000;

export type LogReading = {
  /** The start of the last complete read; null before the first one. Counted from the start: the read may take long. */
  readonly readAt: number | null;
  /** The start of the last read that failed. */
  readonly failedAt: number | null;
  /** The start of the read under way. */
  readonly beganAt: number | null;
  /** When this process last woke from a pause. */
  readonly wokeAt: number | null;
  /** Whether the store is known to be unavailable. */
  readonly isStoreAway: boolean;
};

/**
 * `current`: copies may be used. `outdated`: only as D35 allows for a store that is unavailable. Otherwise the request
 * waits for a read until the given time, and then asks again.
 */
export type CopyUse = 'current' | 'outdated' | { readonly waitUntil: number };

/** Whether the logs were read recently enough at `now`. This runs for each request. */
export const isCurrent = (readAt: number | null, now: number): boolean =>
  readAt !== null && now - readAt < CURRENT_MS;

export function copyUse(reading: LogReading, now: number): CopyUse {
  const { readAt, failedAt, beganAt, wokeAt, isStoreAway } = reading;
  if (isCurrent(readAt, now)) return 'current';
  if (isStoreAway) return 'outdated';
  // Its own pause tells a process nothing about the store (T17).
  const hasFailedSinceWake = isAfter(failedAt, wokeAt) || failedAt === wokeAt;
  if (wokeAt !== null && isAfter(wokeAt, readAt) && !hasFailedSinceWake && now < wokeAt + WAIT_AFTER_PAUSE_MS)
    return { waitUntil: wokeAt + WAIT_AFTER_PAUSE_MS };
  if (isAfter(failedAt, readAt)) return 'outdated';
  const waitUntil = (beganAt ?? now) + WAIT_MS;
  return now < waitUntil ? { waitUntil } : 'outdated';
}

const isAfter = (one: number | null, other: number | null): boolean =>
  one !== null && (other === null || one > other);
