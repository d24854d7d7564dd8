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

/**
 * The source of a page whose items are in the copy. The copy of the feed has no maximum age, so it is used only while it is
 * current, or while the store is unavailable (D35). If the store answers but the logs cannot be read, the page comes from the
 * store: otherwise the copy would become older without limit.
 */
export type PageSource = 'copy' | 'store' | { readonly waitUntil: number };

/** `isApplied`: the copy has the changes of a recent read. The log is read before the items of its changes. */
export function pageSource(use: CopyUse, isStoreAway: boolean, isApplied: boolean): PageSource {
  if (typeof use === 'object') return use;
  const isCopyUsed = use === 'current' ? isApplied : isStoreAway;
  return isCopyUsed ? 'copy' : 'store';
}

/**
 * Whether a request first waits for a new read of the logs. A page with a cursor does, because another instance may have served
 * the earlier pages of its walk: this page must have every change that those pages had (D44). It does not wait if there is no
 * other instance, or while the store is unavailable.
 */
export const isReadFirst = (hasCursor: boolean, isAlone: boolean, isStoreAway: boolean): boolean =>
  hasCursor && !isAlone && !isStoreAway;

/** Such a request waits for the read this long, and then for a page of the store. */
export const READ_FIRST_MS = WAIT_MS;

/** A page without a cursor waits for the store this long, and then comes from the copy (D35). */
export const FROM_STORE_MS = WAIT_MS;

/** The pause before a page with a cursor is read again. */
export const READ_AGAIN_MS = 50;
/** In this time a store that gives no answer is known to be away: three calls without an answer. */
const AWAY_KNOWN_MS = 3_000;
/** A store that answers, and refuses, is read this often. */
const REFUSED_READS_MAX = 2;

/** Whether a page with a cursor is read again after so many reads that failed, `waitedMs` after its request. */
export const isReadAgain = (isRefused: boolean, reads: number, waitedMs: number): boolean =>
  isRefused ? reads < REFUSED_READS_MAX : waitedMs < AWAY_KNOWN_MS;

/** Requests share a page of the store for this long: as long as a change can be missing in a copy without messages. */
export const SHARED_MS = 500;

/** Whether a request at `now` may use a page of the store whose read began at `beganAt`. */
export const isShareable = (beganAt: number, now: number): boolean => now - beganAt < SHARED_MS;

/** While the logs are not read, a copy in use is looked up again after this time: the store may answer although they fail. */
const REFRESH_AFTER_MS = 1_000;

/** While the logs are not read: when a copy that was looked up, or is looked up again, at `at` is next looked up. */
export const nextRefreshAt = (at: number): number => at + REFRESH_AFTER_MS;

/**
 * While the logs are not read: whether a copy may be used (D35). It had every change until it was looked up, and until the
 * start of the last complete read of the logs.
 */
export const isWithin = (maxStaleMs: number, copiedAt: number, readAt: number | null, now: number): boolean =>
  now - Math.max(copiedAt, readAt ?? copiedAt) < maxStaleMs;

/** A look-up that takes longer than this is repeated: its answer may be older than D39 allows. */
const LOOK_UP_MAX_MS = 1_000;

/** Whether a look-up took too long for its answer to be used, because this process was paused (T17). */
export const isTooOld = (beganAt: number, endedAt: number): boolean => endedAt - beganAt > LOOK_UP_MAX_MS;

/**
 * When a copy is next compared with the store: a net under defects, because its changes come with the logs (D39). It is
 * `afterMs` to twice as long after `now`, as `random` (0 to 1) says, so that copies that were loaded together are not
 * compared together.
 */
export const nextComparisonAt = (now: number, afterMs: number, random: number): number =>
  now + afterMs * (1 + random);

/** A comparison that failed is repeated after this time, because the copy may differ from the store. */
const COMPARE_AGAIN_MS = 1_000;

export const repeatedComparisonAt = (now: number): number => now + COMPARE_AGAIN_MS;

const isAfter = (one: number | null, other: number | null): boolean =>
  one !== null && (other === null || one > other);
