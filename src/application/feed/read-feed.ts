import type { SubscriptionId } from '../../domain/billing/subscription.js';
import { type FeedItem, withSubMarkets } from '../../domain/feed/feed-item.js';
import { type FeedPage, paginate, readCountFor } from '../../domain/feed/feed-page.js';
import type { FeedQuery } from '../../domain/feed/feed-query.js';
import type { Position } from '../../domain/feed/position.js';
import type { Moment } from '../../domain/moment.js';
import { andThen, type MaybePromise } from '../maybe-promise.js';
import type { FeedPages, FeedRange, RenderedItem } from '../ports/feed/feed-store.js';

/** A page of the feed, with its head. */
export type FeedReading = {
  readonly page: FeedPage<RenderedItem>;
  /** The head of the whole feed, from the same snapshot (D8). */
  readonly head: Moment | null;
  /** The last change in that snapshot, from which a client can follow the feed (D44). */
  readonly position: Position;
  /** The JSON of an item for the caller: the whole item, or with the filter `market_id` only that sub-market (D9). */
  readonly bytesOf: (item: RenderedItem) => Buffer;
  /** Of the items that were read, of which the page may leave out the last one. Null if a store was asked for them. */
  readonly version: string | null;
};

/** Reads a page of the feed for a subscription. */
export const readFeed = ({ feed }: { readonly feed: FeedPages }) =>
  function readFeed(query: FeedQuery, reader?: SubscriptionId): MaybePromise<FeedReading> {
    const { marketId, limit } = query;
    return andThen(feed.page(rangeOf(query), reader), ({ items, head, position, version }) => ({
      page: paginate(items, limit),
      head,
      position,
      version,
      bytesOf: bytesFor(marketId),
    }));
  };

export type ReadFeed = ReturnType<typeof readFeed>;

const rangeOf = ({ cursor, since, newsId, marketId, terms, limit }: FeedQuery): FeedRange => ({
  before: cursor,
  since,
  newsId,
  marketId,
  terms,
  count: readCountFor(limit),
});

/** The JSON of an item: whole, or with the filter `market_id` only that sub-market (D9). */
export const bytesFor = (marketId: string | null): FeedReading['bytesOf'] =>
  marketId === null ? whole : (item) => bytesWithOneSubMarket(marketId, item);

const whole = ({ json }: RenderedItem): Buffer => json;

function bytesWithOneSubMarket(marketId: string, { json }: RenderedItem): Buffer {
  const item = JSON.parse(json.toString('utf8')) as FeedItem;
  return Buffer.from(JSON.stringify(withSubMarkets(item, [marketId])));
}
