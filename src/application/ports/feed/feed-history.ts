import type { Position } from '../../../domain/feed/position.js';
import type { Moment } from '../../../domain/moment.js';
import type { FeedChange } from '../change-logs.js';
import type { ListedItem, NumberedItem } from './feed-store.js';

/** A change with the item that it published. `item` is null if the item has changed again since, or is retracted. */
export type StoredChange =
  | (Extract<FeedChange, { readonly kind: 'published' | 'replaced' }> & { readonly item: ListedItem | null })
  | Exclude<FeedChange, { readonly kind: 'published' | 'replaced' }>
  | LogStart;

/** Change 0, with which a log begins. */
export type LogStart = { readonly position: Position; readonly kind: 'start' };

/** A part of the log, oldest change first. */
export type LogPart = {
  /** The number of the oldest change that the log has. */
  readonly oldest: number;
  /** The newest change of the log. */
  readonly newest: Position;
  readonly changes: readonly StoredChange[];
};

/** The positions of some changes, by their numbers, as far as the log has them; and the ends of the log. */
export type LoggedPositions = {
  /** The number of the oldest change that the log has. */
  readonly oldest: number;
  /** The newest change of the log. */
  readonly newest: Position;
  readonly positions: ReadonlyMap<number, Position>;
};

/** An item, and when its last change became known; null if that is not known any more. */
export type KnownItem = NumberedItem & { readonly knownAt: Moment | null };

/** Items in the order of their times, oldest first, with the newest change of the log that they were read with. */
export type ItemsPart = { readonly newest: Position; readonly items: readonly KnownItem[] };

/**
 * The past of the feed: its change log with the items, and the items in the order in which they were published.
 *
 * What every adapter guarantees:
 * - `changes` returns every change of the log with `first <= number < first + count`, from one snapshot with the items. It
 *   ends early after the change with which the JSON of the items has at least `bytesMax` bytes, and reads no further item;
 * - `itemsAfter` returns the current items with `scoredAt > after`, oldest first, at most `count`, and the newest
 *   change, from one snapshot. It ends early in the same way after the item with which the JSON has `bytesMax` bytes;
 * - `positionsOf` reads no item, and of the log only these changes and its ends, from one snapshot: clients may ask for any
 *   position, so this must cost little;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface FeedHistory {
  changes(first: number, count: number, bytesMax?: number): Promise<LogPart>;
  itemsAfter(after: Moment, count: number, bytesMax?: number): Promise<ItemsPart>;
  positionsOf(numbers: readonly number[]): Promise<LoggedPositions>;
}
