import type { KeyId } from '../keys/api-key.js';
import { DAY, type Duration, HOUR, type Moment, plus, startOfDay, startOfHour } from '../moment.js';

/** What requests are told apart by: the first digit of the status that they were answered with. */
export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

/** So many requests with a key, in the hour that begins then, were answered with a status of that class. */
export type UsageCount = {
  readonly key: KeyId;
  readonly hour: Moment;
  readonly statusClass: StatusClass;
  readonly requests: number;
};

/** An hour or a day of a chart. */
export type UsageBucket = {
  readonly start: Moment;
  readonly requests: number;
  readonly byStatusClass: Readonly<Record<StatusClass, number>>;
};

/** What a chart shows: so many hours or days, the last of them the one that runs. */
export type UsageSpan = {
  readonly buckets: number;
  readonly length: Duration;
  readonly startOf: (at: Moment) => Moment;
};

export const LAST_24_HOURS: UsageSpan = { buckets: 24, length: HOUR, startOf: startOfHour };
export const LAST_30_DAYS: UsageSpan = { buckets: 30, length: DAY, startOf: startOfDay };

/** A day more than the longest span that is shown. */
const KEPT: Duration = 31 * DAY;

/** Nobody asks for hours that begin before this one. */
export const keptSince = (now: Moment): Moment => plus(startOfHour(now), -KEPT);

/** Total: what is no final status of HTTP never goes out. */
export function statusClassOf(status: number): StatusClass {
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
}

/** Where a span begins: counts of hours before it are of no use to it. */
export const spanStart = ({ buckets, length, startOf }: UsageSpan, now: Moment): Moment =>
  plus(startOf(now), (1 - buckets) * length);

/** The hours or days of a span in their order, empty ones too, the running one last; of one key, or of all together. */
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
  return [...found].map(([start, its]) => bucketOf(start, its));
}

/** All requests with a key since midnight UTC, however they were answered. */
export function requestsToday(counts: readonly UsageCount[], key: KeyId, now: Moment): number {
  const today = startOfDay(now);
  return sum(counts.filter((count) => count.key === key && startOfDay(count.hour) === today));
}

/** What the buckets of a span are together. */
export const totalOf = (buckets: readonly UsageBucket[]): Omit<UsageBucket, 'start'> =>
  buckets.reduce(
    (total, { requests, byStatusClass: its }) => ({
      requests: total.requests + requests,
      byStatusClass: {
        '2xx': total.byStatusClass['2xx'] + its['2xx'],
        '3xx': total.byStatusClass['3xx'] + its['3xx'],
        '4xx': total.byStatusClass['4xx'] + its['4xx'],
        '5xx': total.byStatusClass['5xx'] + its['5xx'],
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
