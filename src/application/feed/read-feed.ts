import { type FeedItem, narrowed } from '../../domain/feed/feed-item.js';
import { type FeedPage, paginate, soughtFor } from '../../domain/feed/feed-page.js';
import type { FeedQuery } from '../../domain/feed/feed-query.js';
import type { Moment } from '../../domain/moment.js';
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
export const readFeed = ({ feed }: { readonly feed: FeedStore }) => {
  const ranges = new WeakMap<FeedQuery, FeedRange>();
  const pages = new WeakMap<readonly RenderedItem[], FeedPage<RenderedItem>>();

  /** The same object for the same query: whoever has answered it knows it again. */
  function rangeOf(query: FeedQuery): FeedRange {
    const known = ranges.get(query);
    if (known !== undefined) return known;
    const { cursor, since, newsId, marketId, limit } = query;
    const range = { before: cursor, since, newsId, marketId, count: soughtFor(limit) };
    ranges.set(query, range);
    return range;
  }

  return async (query: FeedQuery): Promise<FeedReading> => {
    const { marketId, limit } = query;
    const { items, head } = await feed.page(rangeOf(query));
    const page = pages.get(items) ?? paginate(items, limit);
    pages.set(items, page);
    return { page, head, bytesOf: marketId === null ? whole : (item) => narrowedTo(marketId, item) };
  };
};

export type ReadFeed = ReturnType<typeof readFeed>;

const whole = ({ json }: RenderedItem): Buffer => json;

function narrowedTo(marketId: string, { json }: RenderedItem): Buffer {
  const item = JSON.parse(json.toString('utf8')) as FeedItem;
  return Buffer.from(JSON.stringify(narrowed(item, marketId)));
}
