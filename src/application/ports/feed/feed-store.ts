import type { PublishMode } from '../../../domain/feed/assign-scored-at.js';
import type { Moment } from '../../../domain/moment.js';
import type { MaybePromise } from '../../maybe-promise.js';

/** An item as it goes on the wire: rendered once, at publication. */
export type RenderedItem = {
  readonly id: string;
  readonly scoredAt: Moment;
  /** The JSON of the feed item (contract section 2.2), UTF-8. */
  readonly json: Buffer;
};

/** An item with the sub-markets that it is found by. On its way in it lands at `scoredAt` or later (D7). */
export type ListedItem = RenderedItem & { readonly subMarketIds: readonly string[] };

/** What of the feed is asked for, newest first: `since <= scoredAt < before`, at most `count` items. */
export type FeedRange = {
  readonly before: Moment | null;
  readonly since: Moment | null;
  readonly newsId: string | null;
  /** Items that hold this sub-market. They come whole; narrowing them is the reader's (D9). */
  readonly marketId: string | null;
  readonly count: number;
};

/** Items, with the state of the feed they were read from. */
export type FeedPageSnapshot = {
  /** One array is of one range, and may be given again for it while the same items are on it. */
  readonly items: readonly ListedItem[];
  readonly head: Moment | null;
  /** The number of the last change that the snapshot holds; 0 while nothing ever changed. */
  readonly version: number;
};

/** One change of the feed; `n` counts from 1 without gaps (D11). */
export type FeedChange =
  | { readonly n: number; readonly kind: 'published'; readonly id: string; readonly scoredAt: Moment }
  | { readonly n: number; readonly kind: 'retracted'; readonly id: string };

/**
 * The feed: rendered items in the one order of their `scoredAt`.
 *
 * What each adapter keeps:
 * - writers come one after another: no two items have the same `scoredAt`, and where an item lands
 *   is decided by `domain/feed/assign-scored-at.ts` inside the lock (D6, D7, T16);
 * - a batch is placed whole or not at all, in its order; what was answered is stored;
 * - an item published again is replaced and moves; of the same id twice in a batch the later counts;
 * - the head is the greatest `scoredAt` ever given, and never falls (D7);
 * - `page` answers items and head from one snapshot: the head is never newer than the items (D8);
 * - the change log has every change once, in the order it happened;
 * - copies of the store that lag (replicas) never make a page skip or repeat: an answer taken from
 *   one holds all that the store had on that page when it was asked, or the store answers itself;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface FeedStore {
  /** Answers what was placed, in the order given. */
  publish(items: readonly ListedItem[], mode: PublishMode): Promise<readonly RenderedItem[]>;
  /** False when there is no such item. */
  retract(id: string): Promise<boolean>;
  page(range: FeedRange): MaybePromise<FeedPageSnapshot>;
  /** The items of these ids that there are, as they are now, in no order. */
  find(ids: readonly string[]): Promise<readonly ListedItem[]>;
  /** Changes with a number greater than `n`, oldest first, at most `count`. */
  changesSince(n: number, count: number): Promise<readonly FeedChange[]>;
}
