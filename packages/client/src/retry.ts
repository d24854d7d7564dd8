/** What a retry depends on. An `OddswireError` is such a failure. */
export type Failure = {
  readonly code: string;
  readonly status: number | null;
  readonly retryAfterSeconds: number | null;
};

const BACKOFF_MS = 500;
const BACKOFF_MAX_MS = 30_000;
const TRANSIENT_CODES: readonly string[] = [
  'connection_failed',
  'timed_out',
  'invalid_response',
  'unavailable',
];
const TRANSIENT_STATUSES: readonly number[] = [408, 429];

export const isTransient = ({ code, status }: Failure): boolean =>
  TRANSIENT_CODES.includes(code) ||
  (status !== null && (status >= 500 || TRANSIENT_STATUSES.includes(status)));

/**
 * The wait before the next attempt, in milliseconds; null if the failure is final. `attempt` is 0 after the first
 * failure, and `random` is from 0 to 1. Clients that failed together do not return together.
 */
export function retryDelayMs(
  failure: Failure,
  attempt: number,
  maxWaitMs: number,
  random: number,
): number | null {
  if (!isTransient(failure)) return null;
  const { retryAfterSeconds } = failure;
  if (retryAfterSeconds === null) return backoffMs(attempt, random);
  return 1_000 * retryAfterSeconds > maxWaitMs ? null : spreadMs(retryAfterSeconds, random);
}

/** The time that the service asks for, but at least 0.5 s, and up to half of it more. */
export const spreadMs = (seconds: number, random: number): number =>
  Math.max(BACKOFF_MS, 1_000 * seconds) * (1 + random / 2);

/** Doubles with each attempt, from 0.5 s to 30 s, and up to half of it more. */
export const backoffMs = (attempt: number, random: number): number =>
  Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** attempt) * (1 + random / 2);

/**
 * Seconds of a `Retry-After` header; null without a valid one. An HTTP date is compared with the `Date` of the same
 * response, and not with the local clock, which can be wrong.
 */
export function retryAfterSeconds(retryAfter: string | null, date: string | null): number | null {
  if (retryAfter === null) return null;
  if (/^\d+(\.\d+)?$/.test(retryAfter)) return Number(retryAfter);
  const seconds = (Date.parse(retryAfter) - Date.parse(date ?? '')) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
