import type { KeyId } from '../keys/api-key.js';
import {
  DAY,
  type Duration,
  HOUR,
  MINUTE,
  type Moment,
  plus,
  startOfDay,
  startOfHour,
  startOfMinute,
} from '../moment.js';

/** Requests are counted by class: the first digit of the response status. */
export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];
export const NO_REQUESTS: Readonly<Record<StatusClass, number>> = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 };

/** The status that is counted. A response that cost nothing although it succeeded had nothing new, like a 304 (D58, D104). */
export const countedStatus = (status: number, isFree: boolean): number =>
  isFree && status < 300 ? 304 : status;

/** The number of requests with one key, in one hour, whose response status is in one class (D104). */
export type UsageCount = {
  readonly key: KeyId;
  readonly hour: Moment;
  readonly statusClass: StatusClass;
  readonly requests: number;
};

/** One bar of a chart: of a minute, an hour, 6 hours or a day. */
export type UsageBucket = {
  readonly start: Moment;
  readonly requests: number;
  readonly byStatusClass: Readonly<Record<StatusClass, number>>;
};

/** The range of a chart: a number of bars of the same length, up to the current one. */
export type UsageSpan = {
  readonly buckets: number;
  readonly length: Duration;
  readonly startOf: (at: Moment) => Moment;
};

export const LAST_24_HOURS: UsageSpan = { buckets: 24, length: HOUR, startOf: startOfHour };
export const LAST_30_DAYS: UsageSpan = { buckets: 30, length: DAY, startOf: startOfDay };

/** The start of the quarter of a UTC day that contains a moment. */
function startOfQuarter(at: Moment): Moment {
  const hour = Math.floor(Number(at.slice(11, 13)) / 6) * 6;
  return plus(startOfDay(at), hour * HOUR);
}

/** The ranges that a holder can choose. Usage is counted by hour, so the last hour needs another source (`request-statistics.ts`). */
export const USAGE_SPANS = {
  '1h': { buckets: 60, length: MINUTE, startOf: startOfMinute },
  '24h': LAST_24_HOURS,
  '7d': { buckets: 28, length: 6 * HOUR, startOf: startOfQuarter },
  '30d': LAST_30_DAYS,
} as const satisfies Readonly<Record<string, UsageSpan>>;
export type UsageRange = keyof typeof USAGE_SPANS;
export const USAGE_RANGES = Object.keys(USAGE_SPANS) as readonly UsageRange[];

/** How long usage is kept: one day more than the longest span that is shown. */
export const USAGE_KEPT: Duration = 31 * DAY;

/** Hours that begin before this one are never shown, and may be dropped. */
export const retainedSince = (now: Moment): Moment => plus(startOfHour(now), -USAGE_KEPT);

/** The status is never informational (1xx), because such a response is not final. */
export function statusClassOf(status: number): StatusClass {
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
}

/** The start of a span. Counts of earlier hours are ignored. */
export const spanStart = ({ buckets, length, startOf }: UsageSpan, now: Moment): Moment =>
  plus(startOf(now), (1 - buckets) * length);

/**
 * All hours or days of a span, oldest first, also those without requests. They count one key, or all keys if `key` is
 * null.
 */
export function usageOver(
  span: UsageSpan,
  counts: readonly UsageCount[],
  now: Moment,
  key: KeyId | null = null,
): readonly UsageBucket[] {
  const first = spanStart(span, now);
  const starts = Array.from({ length: span.buckets }, (_, i) => plus(first, i * span.length));
  const found = new Map(starts.map((start): [Moment, UsageCount[]] => [start, []]));
  for (const count of counts) {
    if (key === null || count.key === key) found.get(span.startOf(count.hour))?.push(count);
  }
  return [...found].map(([start, inBucket]) => bucketOf(start, inBucket));
}

/** All requests with a key since midnight UTC, with any response status. */
export function requestsToday(counts: readonly UsageCount[], key: KeyId, now: Moment): number {
  const today = startOfDay(now);
  return sum(counts.filter((count) => count.key === key && startOfDay(count.hour) === today));
}

/**
 * Whether there were requests with a key since midnight UTC, and all of them were refused: each was answered with 4xx, and none
 * was admitted since then. An admitted request can be answered with 4xx too, for a parameter.
 */
export function wereOnlyRefusedToday(
  counts: readonly UsageCount[],
  key: KeyId,
  lastAdmittedAt: Moment | null,
  now: Moment,
): boolean {
  const today = startOfDay(now);
  const ofToday = counts.filter((count) => count.key === key && startOfDay(count.hour) === today);
  const wasAdmitted = lastAdmittedAt !== null && lastAdmittedAt >= today;
  return !wasAdmitted && sum(ofToday) > 0 && ofToday.every(({ statusClass }) => statusClass === '4xx');
}

/** The sum of the buckets. */
export const totalOf = (buckets: readonly UsageBucket[]): Omit<UsageBucket, 'start'> =>
  buckets.reduce(
    (total, { requests, byStatusClass }) => ({
      requests: total.requests + requests,
      byStatusClass: {
        '2xx': total.byStatusClass['2xx'] + byStatusClass['2xx'],
        '3xx': total.byStatusClass['3xx'] + byStatusClass['3xx'],
        '4xx': total.byStatusClass['4xx'] + byStatusClass['4xx'],
        '5xx': total.byStatusClass['5xx'] + byStatusClass['5xx'],
      },
    }),
    { requests: 0, byStatusClass: { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 } },
  );

function bucketOf(start: Moment, counts: readonly UsageCount[]): UsageBucket {
  const of = (statusClass: StatusClass) => sum(counts.filter((count) => count.statusClass === statusClass));
  return {
    start,
    requests: sum(counts),
    byStatusClass: { '2xx': of('2xx'), '3xx': of('3xx'), '4xx': of('4xx'), '5xx': of('5xx') },
  };
}

const sum = (counts: readonly UsageCount[]): number =>
  counts.reduce((requests, count) => requests + count.requests, 0);
