import { between, DAY, type Moment, startOfDay } from '../moment.js';
import { isFailed, type LoggedRequest } from './request-log.js';
import {
  type StatusClass,
  statusClassOf,
  type UsageBucket,
  type UsageCount,
  type UsageSpan,
} from './usage.js';

/** Which requests of the log are listed. */
export type RequestFilter = {
  readonly failedOnly: boolean;
  readonly statusClass: StatusClass | null;
  readonly code: string | null;
};

export const ALL_REQUESTS: RequestFilter = { failedOnly: false, statusClass: null, code: null };

/** What a failed request is counted under: the code of its problem document, or the status if it has none. */
const codeOf = ({ code, status }: LoggedRequest): string => code ?? String(status);

export const matching = (
  requests: readonly LoggedRequest[],
  { failedOnly, statusClass, code }: RequestFilter,
): readonly LoggedRequest[] =>
  requests.filter(
    (request) =>
      (!failedOnly || isFailed(request.status)) &&
      (statusClass === null || statusClassOf(request.status) === statusClass) &&
      (code === null || codeOf(request) === code),
  );

/** The failed requests with one code. */
export type FailureCount = { readonly code: string; readonly requests: number; readonly lastAt: Moment };

/** The failed requests by code, the most frequent first. */
export function failuresByCode(requests: readonly LoggedRequest[]): readonly FailureCount[] {
  const byCode = new Map<string, FailureCount>();
  for (const request of matching(requests, { ...ALL_REQUESTS, failedOnly: true })) {
    const code = codeOf(request);
    const { requests: earlier, lastAt } = byCode.get(code) ?? { requests: 0, lastAt: request.at };
    byCode.set(code, { code, requests: earlier + 1, lastAt: request.at > lastAt ? request.at : lastAt });
  }
  return [...byCode.values()].sort((a, b) => b.requests - a.requests || (a.code < b.code ? -1 : 1));
}

/** The number of requests with a status. */
export const requestsWith = (requests: readonly LoggedRequest[], status: number): number =>
  requests.filter((request) => request.status === status).length;

/** The duration that this share of the requests does not exceed, in milliseconds; null without requests. */
export function percentileMs(requests: readonly LoggedRequest[], share: number): number | null {
  const sorted = requests.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

/** The requests of the log as counts, each at its own time: the usage has no shorter time than an hour. */
export const countsOfLog = (requests: readonly LoggedRequest[]): readonly UsageCount[] =>
  requests.map(({ key, at, status }) => ({
    key,
    hour: at,
    statusClass: statusClassOf(status),
    requests: 1,
  }));

/** The share of the requests that were served, from 0 to 1; null without requests. */
export const servedShare = ({ requests, byStatusClass }: Omit<UsageBucket, 'start'>): number | null =>
  requests === 0 ? null : (byStatusClass['2xx'] + byStatusClass['3xx']) / requests;

/** The share of the quota of a day that will be used at its end, if the day goes on as it began. */
export function forecastShare(used: number, quota: number, now: Moment): number {
  const elapsed = between(startOfDay(now), now);
  return elapsed <= 0 ? 0 : (used / quota) * (DAY / elapsed);
}

/** The quota of a day, if the bars of the chart are days and one of them is above half of it; else null. */
export const quotaLine = (
  span: UsageSpan,
  buckets: readonly UsageBucket[],
  quota: number | null,
): number | null =>
  quota !== null && span.length === DAY && buckets.some(({ requests }) => requests > quota / 2)
    ? quota
    : null;
