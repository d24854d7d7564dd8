import type { SubscriptionId } from '../../domain/billing/subscription.js';
import { type FeedItem, withSubMarkets } from '../../domain/feed/feed-item.js';
import { type FeedPage, paginate, readCountFor } from '../../domain/feed/feed-page.js';
import type { FeedQuery } from '../../domain/feed/feed-query.js';
import type { Position } from '../../domain/feed/position.js';
import type { Moment } from '../../domain/moment.js';
import { andThen, type MaybePromise } from '../maybe-promise.js';
import type { FeedRange, FeedStore, RenderedItem } from '../ports/feed/feed-store.js';

/** A page of the feed, with its head. */
export type FeedReading = {
  readonly page: FeedPage<RenderedItem>;
  /** The head of the whole feed, from the same snapshot (D8). */
  readonly head: Moment | null;
  /** The last change in that snapshot, from which a client can follow the feed (D44). */
  readonly position: Position;
  /** The JSON of an item for the caller: the whole item, or with the filter `market_id` only that sub-market (D9). */
  readonly bytesOf: (item: RenderedItem) => Buffer;
  /** Whether no store was asked for the items. */
  readonly isInMemory: boolean;
};

/** Reads a page of the feed for a subscription. It returns the same page object while the store returns the same array of items. */
export const readFeed = ({ feed }: { readonly feed: FeedStore }) =>
  function readFeed(query: FeedQuery, reader?: SubscriptionId): MaybePromise<FeedReading> {
    return andThen(feed.page(rangeOf(query), reader), ({ items, head, position, isInMemory }) => {
      const { marketId, limit } = query;
      const bytesOf =
        marketId === null ? whole : (item: RenderedItem) => bytesWithOneSubMarket(marketId, item);
      return { page: pageOf(items, limit), head, position, bytesOf, isInMemory };
    });
  };

export type ReadFeed = ReturnType<typeof readFeed>;

const ranges = new WeakMap<FeedQuery, FeedRange>();

/** The same range object for the same query object, so that a store can recognise a range that it has read before. */
function rangeOf(query: FeedQuery): FeedRange {
  const known = ranges.get(query);
  if (known !== undefined) return known;
  const { cursor, since, newsId, marketId, terms, limit } = query;
  const range = { before: cursor, since, newsId, marketId, terms, count: readCountFor(limit) };
  ranges.set(query, range);
  return range;
}

const pages = new WeakMap<readonly RenderedItem[], FeedPage<RenderedItem>>();

/** The same page object for the same list object. A store returns different lists for ranges of different lengths. */
function pageOf(items: readonly RenderedItem[], limit: number): FeedPage<RenderedItem> {
  const known = pages.get(items);
  const page = known ?? paginate(items, limit);
  if (known === undefined) pages.set(items, page);
  return page;
}

const whole = ({ json }: RenderedItem): Buffer => json;

function bytesWithOneSubMarket(marketId: string, { json }: RenderedItem): Buffer {
  const item = JSON.parse(json.toString('utf8')) as FeedItem;
  return Buffer.from(JSON.stringify(withSubMarkets(item, [marketId])));
}
