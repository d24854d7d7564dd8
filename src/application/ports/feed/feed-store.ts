import type { Reason } from '../../../domain/accounts/reason.js';
import type { SubscriptionId } from '../../../domain/billing/subscription.js';
import type { PublishMode } from '../../../domain/feed/assign-scored-at.js';
import type { TermFilter } from '../../../domain/feed/filters/item-terms.js';
import type { Position } from '../../../domain/feed/position.js';
import type { PublicationOutcome } from '../../../domain/feed/publication-outcome.js';
import type { Moment } from '../../../domain/moment.js';
import type { MaybePromise } from '../../maybe-promise.js';

/** An item in its wire format, rendered once, at publication. */
export type RenderedItem = {
  readonly id: string;
  readonly scoredAt: Moment;
  /** The JSON of the feed item (contract section 2.2), UTF-8. */
  readonly json: Buffer;
};

/** An item with the ids of its sub-markets, for the filter `marketId`. `publish` may assign a later `scoredAt` (D7). */
export type ListedItem = RenderedItem & { readonly subMarketIds: readonly string[] };

/** An item to publish. `isScoredNow`: the publication named no `scored_at`. */
export type ItemToPublish = ListedItem & { readonly isScoredNow?: boolean };

/** What became of a publication, with the version that is in the feed after it (D11). */
export type PublishedItem = RenderedItem & { readonly outcome: PublicationOutcome };

/** A range of the feed, newest first: `since <= scoredAt < before`, at most `count` items. */
export type FeedRange = {
  readonly before: Moment | null;
  readonly since: Moment | null;
  readonly newsId: string | null;
  /** Items with this sub-market. They are returned whole; the caller narrows them (D9). */
  readonly marketId: string | null;
  /** Items that pass this filter too (D57). */
  readonly terms: TermFilter;
  readonly count: number;
};

/** Items, with the head and the position of the feed that they were read from. */
export type FeedPageSnapshot = {
  /** The items of one range. */
  readonly items: readonly ListedItem[];
  readonly head: Moment | null;
  /** The last change in the snapshot (D44). */
  readonly position: Position;
  /**
   * Two pages of this process with the same version have the same items. Null for items that were read from a store: only items
   * that stay in memory have a version.
   */
  readonly version: string | null;
};

/** An item with the number of its last change. 0: not known, because the log no longer has the change, or 0.2.0 stored it. */
export type NumberedItem = ListedItem & { readonly n: number };

/** Items that were found by their ids, with the position of the snapshot that they were read from. */
export type FoundItems = Pick<FeedPageSnapshot, 'position'> & { readonly items: readonly NumberedItem[] };

/**
 * The feed: rendered items in the order of their `scoredAt`.
 *
 * What every adapter guarantees:
 * - writers are serialised by a lock: no two items have the same `scoredAt`, and `domain/feed/assign-scored-at.ts`
 *   assigns it inside the lock (D6, D7, T16);
 * - a batch is published whole or not at all, in its order; a returned result is stored;
 * - an item that is published again is replaced and gets a new time; if an id occurs twice in a batch, the later item
 *   counts;
 * - the head is the greatest `scoredAt` that was ever assigned, and never decreases (D7);
 * - `page` returns items and head from one snapshot: the head is never newer than the items (D8);
 * - `page` and `find` return the position of the same snapshot: the items have every change up to it, and none after it;
 * - a page below a time (`before`) has every change that was made before the call, on any instance, while the store
 *   answers. A page without one can be older, as D39 allows (D44);
 * - every change is in the change log (`change-logs.ts`) when the call returns;
 * - replicas that lag never make a page skip or repeat items: a page from a replica has all items that the store had on
 *   that page at the time of the call; otherwise the store itself answers;
 * - a replica with another history than the store returns no page (D45);
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface FeedStore extends FeedPages, FeedItems, FeedWriter, FeedHead {}

/** Reads pages. */
export type FeedPages = {
  /** `reader`: for whom a page is read. Readers share a store that is busy. */
  page(range: FeedRange, reader?: SubscriptionId): MaybePromise<FeedPageSnapshot>;
};

/** Finds items by their ids. */
export type FeedItems = {
  /** The current items with these ids, unordered; unknown ids are left out. */
  find(ids: readonly string[]): Promise<FoundItems>;
};

/** Who purges an item, and why. */
export type PurgeOrder = { readonly actor: string; readonly reason: Reason };

/** `purged before`: no text of the id was left, and the call changed nothing. */
export type Purge = 'purged' | 'purged before' | 'unknown';

/** Publishes, retracts and purges items. */
export type FeedWriter = {
  /** Returns the outcomes in the order of `items`. `domain/feed/publication-outcome.ts` judges inside the lock. */
  publish(items: readonly ItemToPublish[], mode: PublishMode): Promise<readonly PublishedItem[]>;
  /** False if there is no such item. */
  retract(id: string): Promise<boolean>;
  /**
   * Retracts the item, if it is in the feed, and erases every version of it, with the terms that no other item has (D62). The
   * change log and the positions of the versions stay. `unknown`: the history has no such id.
   */
  purge(id: string, order: PurgeOrder): Promise<Purge>;
};

/** The head, after the store has returned to an older state. */
export type FeedHead = {
  /**
   * Raises the head as `domain/feed/raised-head.ts` decides, and logs that (D45). `seen` is the greatest head that the
   * caller has seen. Returns the new head, or null if the stored head stays.
   */
  raiseHead(seen: Moment | null, now: Moment): Promise<Moment | null>;
};
