import { type FeedItem, narrowed } from '../../domain/feed/feed-item.js';
import { type FeedPage, paginate, soughtFor } from '../../domain/feed/feed-page.js';
import type { FeedQuery } from '../../domain/feed/feed-query.js';
import type { Moment } from '../../domain/moment.js';
import { andThen, type MaybePromise } from '../maybe-promise.js';
import type { FeedRange, FeedStore, RenderedItem } from '../ports/feed/feed-store.js';

/** What was read. */
export type FeedReading = {
  readonly page: FeedPage<RenderedItem>;
  /** The high-water mark of the whole feed, from the same snapshot (D8). */
  readonly head: Moment | null;
  /** What the caller gets of an item: all of it, or the part that bears on the market asked for (D9). */
  readonly bytesOf: (item: RenderedItem) => Buffer;
};

/** A page of the feed: the same object again, as long as the store answers with the same items. */
export const readFeed = ({ feed }: { readonly feed: FeedStore }) =>
  function readFeed(query: FeedQuery): MaybePromise<FeedReading> {
    return andThen(feed.page(rangeOf(query)), ({ items, head }) => {
      const { marketId, limit } = query;
      const bytesOf = marketId === null ? whole : (item: RenderedItem) => narrowedTo(marketId, item);
      return { page: pageOf(items, limit), head, bytesOf };
    });
  };

export type ReadFeed = ReturnType<typeof readFeed>;

const ranges = new WeakMap<FeedQuery, FeedRange>();

/** Reference-stable per query, so that a store can recognise a range that it has answered. */
function rangeOf(query: FeedQuery): FeedRange {
  const known = ranges.get(query);
  if (known !== undefined) return known;
  const { cursor, since, newsId, marketId, limit } = query;
  const range = { before: cursor, since, newsId, marketId, count: soughtFor(limit) };
  ranges.set(query, range);
  return range;
}

const pages = new WeakMap<readonly RenderedItem[], FeedPage<RenderedItem>>();

/** Reference-stable per list of items. A store answers ranges of different lengths with different lists. */
function pageOf(items: readonly RenderedItem[], limit: number): FeedPage<RenderedItem> {
  const known = pages.get(items);
  const page = known ?? paginate(items, limit);
  if (known === undefined) pages.set(items, page);
  return page;
}

const whole = ({ json }: RenderedItem): Buffer => json;

function narrowedTo(marketId: string, { json }: RenderedItem): Buffer {
  const item = JSON.parse(json.toString('utf8')) as FeedItem;
  return Buffer.from(JSON.stringify(narrowed(item, marketId)));
}
