import type { SubscriptionId } from '../../domain/billing/subscription.js';
import { type FeedItem, withSubMarkets } from '../../domain/feed/feed-item.js';
import { type FeedPage, paginate, readCountFor } from '../../domain/feed/feed-page.js';
import type { FeedQuery } from '../../domain/feed/feed-query.js';
import type { Term } from '../../domain/feed/filters/item-terms.js';
import { foundMarketsOf, referencesOf } from '../../domain/feed/filters/market-filter.js';
import type { Position } from '../../domain/feed/position.js';
import { narrowed } from '../../domain/feed/stream-filter.js';
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
  /** The JSON of an item for the caller: the whole item, or with a filter by market only what it matched (D9, D65). */
  readonly bytesOf: (item: RenderedItem) => Buffer;
  /** Of the items that were read, of which the page may leave out the last one. Null if a store was asked for them. */
  readonly version: string | null;
};

/** Reads a page of the feed for a subscription. */
export const readFeed = ({ feed }: { readonly feed: FeedPages }) =>
  function readFeed(query: FeedQuery, reader?: SubscriptionId): MaybePromise<FeedReading> {
    const { limit } = query;
    return andThen(feed.page(rangeOf(query), reader), ({ items, head, position, version }) => ({
      page: paginate(items, limit),
      head,
      position,
      version,
      bytesOf: bytesFor(query),
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

type Narrowing = Pick<FeedQuery, 'marketId' | 'terms'>;

/** What the items of a page are narrowed to: the value of `market_id`, or this value and the terms of `market`. */
export type NarrowedTo = string | null | readonly [marketId: string | null, references: readonly Term[]];

/** Null if the items are whole. */
export function narrowedTo({ marketId, terms }: Narrowing): NarrowedTo {
  const references = terms.length === 0 ? null : referencesOf(terms);
  return references === null ? marketId : [marketId, references];
}

/** The JSON of an item: whole, or with a filter by market only the sub-markets that it matched (D9, D65). */
export function bytesFor(query: Narrowing): FeedReading['bytesOf'] {
  if (narrowedTo(query) === null) return whole;
  const { marketId, terms } = query;
  const filter = { marketIds: marketId === null ? null : new Set([marketId]), terms };
  return function narrowedBytes({ json }) {
    const item = JSON.parse(json.toString('utf8')) as FeedItem;
    const ids = item.related_markets.flatMap(({ sub_markets: subs }) => subs.map((sub) => sub.sub_market_id));
    const shown = narrowed(filter, ids, () => foundMarketsOf(item));
    return shown === 'whole' ? json : Buffer.from(JSON.stringify(withSubMarkets(item, shown ?? [])));
  };
}

const whole = ({ json }: RenderedItem): Buffer => json;
