import { MINUTE, type Moment, plus } from '../moment.js';
import type { Fault } from '../refusal.js';

/** What became of the items that publishers sent in one minute. */
export type PublishedMinute = {
  /** When the minute begins. */
  readonly start: Moment;
  readonly published: number;
  readonly unchanged: number;
  readonly rejected: number;
};

/** An item that was rejected, with its first fault. */
export type Rejection = {
  readonly at: Moment;
  /** Null if the publication names no id. */
  readonly id: string | null;
  readonly field: string;
  readonly message: string;
  /** How many more faults it has. */
  readonly more: number;
};

/** The last hour of an instance: a fixed number of entries, whatever publishers send. Oldest first. */
export type PublicationRecord = {
  readonly minutes: readonly PublishedMinute[];
  readonly rejections: readonly Rejection[];
};

export const NOTHING_PUBLISHED: PublicationRecord = { minutes: [], rejections: [] };

export const MINUTES_KEPT = 60;
export const REJECTIONS_KEPT = 20;
/** Characters of the texts of a publisher that are kept. */
const TEXT_KEPT = 120;

/** When the minute of a moment begins. */
export const startOfMinute = (at: Moment): Moment => `${at.slice(0, 17)}00.000000Z` as Moment;

type Counts = Partial<Omit<PublishedMinute, 'start'>>;

/** The record after some items of this moment. */
export function withCounts(record: PublicationRecord, at: Moment, counts: Counts): PublicationRecord {
  const start = startOfMinute(at);
  const last = record.minutes.at(-1);
  const isSame = last !== undefined && last.start >= start;
  const before = isSame ? last : { start, published: 0, unchanged: 0, rejected: 0 };
  const minute = {
    start: before.start,
    published: before.published + (counts.published ?? 0),
    unchanged: before.unchanged + (counts.unchanged ?? 0),
    rejected: before.rejected + (counts.rejected ?? 0),
  };
  const earlier = isSame ? record.minutes.slice(0, -1) : record.minutes;
  return { ...record, minutes: [...earlier, minute].slice(-MINUTES_KEPT) };
}

/** The record after a rejection. `redact` removes keys from the texts of a publisher (D19). */
export function withRejection(
  record: PublicationRecord,
  at: Moment,
  rejected: { readonly id: string | null; readonly faults: readonly Fault[] },
  redact: (text: string) => string,
): PublicationRecord {
  const kept = (text: string) => redact(text).slice(0, TEXT_KEPT);
  const [first] = rejected.faults;
  const rejection = {
    at,
    id: rejected.id === null ? null : kept(rejected.id),
    field: kept(first?.parameter ?? ''),
    message: kept(first?.message ?? ''),
    more: Math.max(0, rejected.faults.length - 1),
  };
  const counted = withCounts(record, at, { rejected: 1 });
  return { ...counted, rejections: [...record.rejections, rejection].slice(-REJECTIONS_KEPT) };
}

/** Each of the last 60 minutes, oldest first, also those without an item. */
export function lastHour(minutes: readonly PublishedMinute[], now: Moment): readonly PublishedMinute[] {
  const known = new Map(minutes.map((minute) => [minute.start, minute]));
  return Array.from({ length: MINUTES_KEPT }, (_, i) => {
    const start = startOfMinute(plus(now, (i + 1 - MINUTES_KEPT) * MINUTE));
    return known.get(start) ?? { start, published: 0, unchanged: 0, rejected: 0 };
  });
}

/** How many items were rejected in the last 60 minutes. */
export const rejectedInLastHour = ({ minutes }: PublicationRecord, now: Moment): number =>
  lastHour(minutes, now).reduce((sum, { rejected }) => sum + rejected, 0);
