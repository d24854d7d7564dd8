import type { AsOf, FoundPoint, KnownChange, PastPoint } from '../../../domain/feed/history/as-of.js';
import type { Position } from '../../../domain/feed/position.js';
import type { Moment } from '../../../domain/moment.js';
import type { FeedRange, ListedItem, PurgeOrder } from './feed-store.js';

/** A range of the feed as it was at a change. Filters by terms are about the current feed only (D60). */
export type PastRange = Omit<FeedRange, 'terms'>;

type OfItem = KnownChange & {
  readonly id: string;
  /** How often the id has changed, this time included. Null for an id that is older than the history. */
  readonly revision: number | null;
};

/** A change of an item as the history tells it (D61). */
export type HistoryChange = OfItem &
  (
    | {
        readonly kind: 'published' | 'replaced';
        readonly scoredAt: Moment;
        /** The version that the change brought. `missing`: it was never stored. */
        readonly item: ListedItem | 'purged' | 'missing';
      }
    /** `scoredAt`: that of the item. Null if it is not known. */
    | { readonly kind: 'retracted' | 'purged'; readonly scoredAt: Moment | null }
  );

/** An item of a page of the past. `item` is null if the version was purged: its place stays, so `next_cursor` stays. */
export type PastItem = { readonly scoredAt: Moment; readonly item: ListedItem | null };

/** The changes with `after < number <= until`; with `newsId` only those of this id. */
export type HistoryReading = {
  readonly after: number;
  readonly until: number;
  readonly newsId: string | null;
  readonly count: number;
  readonly bytesMax: number;
};

/** A part of the history, oldest change first. */
export type HistoryPart = {
  readonly changes: readonly HistoryChange[];
  /** The last change of the log that was read, also if it is no change of an item; null if there was none. */
  readonly last: Position | null;
  /** The number of changes of the log that were read. */
  readonly read: number;
};

/** A purge of an item (D62), with who did it and why. */
export type NotedPurge = PurgeOrder & { readonly id: string; readonly knownAt: Moment };

/** The items of one minute. */
export type PublishedCount = { readonly start: Moment; readonly published: number };

/**
 * The history of the feed: every version of every item since its start (D59).
 *
 * What every adapter guarantees:
 * - `knownAt` never falls from one change to the next, whatever the clocks of instances show;
 * - `find` returns the change of this log with the number of a position, whatever its mark is, or the last change with
 *   `knownAt` at or before a time, and the start of the history, from one snapshot;
 * - `page` returns what `FeedPages.page` returned, or would have returned, when the change at the point was the newest one: the
 *   same items in the same order, with their bytes of then;
 * - `changes` returns the changes that concern an item, of an id twice in one publication only the last. It reads at most `count`
 *   changes, and ends early after the one with which the JSON has `bytesMax` bytes. With `newsId` it reads no change of another id;
 * - `last` returns the last change of an id in the history; null if it has none;
 * - what is returned for a closed range never changes, but for purged versions;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface FeedPast {
  find(asOf: AsOf): Promise<FoundPoint>;
  page(range: PastRange, at: PastPoint): Promise<readonly PastItem[]>;
  changes(reading: HistoryReading): Promise<HistoryPart>;
  last(id: string): Promise<HistoryChange | null>;
  /**
   * The number of items that were published or replaced in each minute since `from`, the beginning of a minute, oldest first.
   * Minutes without one are left out.
   */
  publishedPerMinute(from: Moment): Promise<readonly PublishedCount[]>;
  /** The newest purges, newest first. */
  purges(count: number): Promise<readonly NotedPurge[]>;
}
