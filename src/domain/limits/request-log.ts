import type { KeyId } from '../keys/api-key.js';
import { DAY, type Duration, type Moment, plus } from '../moment.js';

/** An answered request with a key, as its owner sees it (D74). */
export type LoggedRequest = {
  readonly key: KeyId;
  /** When it arrived. */
  readonly at: Moment;
  readonly method: string;
  readonly path: string;
  /** The query string without keys, and without `?`. */
  readonly query: string;
  /** 499 if the client disconnected before there was one. */
  readonly status: number;
  /** The code of the problem document; null for other answers. */
  readonly code: string | null;
  /** Until the answer was sent; of a stream, until it began. */
  readonly durationMs: number;
  /** The length of the body; null if it was not known when the answer began. */
  readonly bytes: number | null;
  readonly requestId: string;
  /** The client network: an IPv4 /24 or an IPv6 /48. */
  readonly network: string;
};

/** How long a request is kept. */
export const REQUESTS_KEPT: Duration = DAY;

/** The most requests of one key that are kept. */
export const REQUESTS_PER_KEY = 100;

/** Of these, the places for the newest failed requests: otherwise a busy key would show none of them after a few seconds. */
export const FAILED_PER_KEY = 50;

/** The most requests that one process stores at once. */
export const REQUESTS_PER_WRITE = 500;

/** The most successful requests of one key in the second half of a write, so that a busy key leaves room for others. */
const LATE_PER_KEY = 10;

/** Requests before this time are not shown, and may be deleted. */
export const requestsSince = (now: Moment): Moment => plus(now, -REQUESTS_KEPT);

export const isFailed = (status: number): boolean => status >= 400;

/** How many of these requests were with one of the keys, and refused by a limit. */
export function limitedRequests(
  requests: readonly LoggedRequest[],
  keys: readonly { readonly id: KeyId }[],
): number {
  const ids = new Set(keys.map(({ id }) => id));
  return requests.filter(({ key, status }) => status === 429 && ids.has(key)).length;
}

/** What waits for the next write. */
export type Waiting = {
  readonly failed: number;
  readonly others: number;
  /** Of the key of the next request: failed ones, or the others, as the next request is. */
  readonly ofKey: number;
};

/**
 * Whether one more request is kept for the next write. Failed requests displace others (`requestsToWrite`), so they wait while there
 * are fewer than `REQUESTS_PER_WRITE` of them.
 */
export function isKept(isFailure: boolean, { failed, others, ofKey }: Waiting): boolean {
  if (isFailure) return failed < REQUESTS_PER_WRITE && ofKey < REQUESTS_PER_KEY;
  const waiting = failed + others;
  if (waiting >= REQUESTS_PER_WRITE) return false;
  return ofKey < (waiting < REQUESTS_PER_WRITE / 2 ? REQUESTS_PER_KEY : LATE_PER_KEY);
}

/** The requests of one write: failed ones first. */
export const requestsToWrite = (
  failed: readonly LoggedRequest[],
  others: readonly LoggedRequest[],
): readonly LoggedRequest[] => [...failed, ...others].slice(0, REQUESTS_PER_WRITE);

/** The requests of one key that are kept, newest first: the newest failed ones, and then the newest of all. */
export function keptRequests(ofKey: readonly LoggedRequest[]): readonly LoggedRequest[] {
  const newest = ofKey.toSorted(newestFirst);
  if (newest.length <= REQUESTS_PER_KEY) return newest;
  const failed = newest.filter(({ status }) => isFailed(status)).slice(0, FAILED_PER_KEY);
  const kept = new Set(failed);
  for (const request of newest) {
    if (kept.size >= REQUESTS_PER_KEY) break;
    kept.add(request);
  }
  return newest.filter((request) => kept.has(request));
}

/** The kept requests of several keys together, newest first. */
export function keptOfKeys(requests: readonly LoggedRequest[]): readonly LoggedRequest[] {
  const byKey = new Map<KeyId, LoggedRequest[]>();
  for (const request of requests) {
    const ofKey = byKey.get(request.key) ?? [];
    ofKey.push(request);
    byKey.set(request.key, ofKey);
  }
  return [...byKey.values()].flatMap((ofKey) => [...keptRequests(ofKey)]).sort(newestFirst);
}

const newestFirst = ({ at }: LoggedRequest, { at: other }: LoggedRequest): number =>
  at === other ? 0 : at < other ? 1 : -1;

/** The most characters of a query string that are kept. */
const QUERY_MAX = 500;

/** Names whose values may be secrets, or which hide their name in escapes. No parameter of the API has such a name, except `api_key`. */
const SECRET = /key|token|secret|password|auth|%/i;

/** The query string without the values of parameters that may carry a key, and without anything that looks like a key. */
export function loggedQuery(querystring: string, redact: (text: string) => string): string {
  const withoutSecrets = querystring
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=', 1);
      return SECRET.test(name) ? `${name}=[redacted]` : pair;
    })
    .join('&');
  const redacted = redact(withoutSecrets);
  return redacted.length > QUERY_MAX ? `${redacted.slice(0, QUERY_MAX)}…` : redacted;
}
