import { type FeedItem, narrowed } from '../domain/feed-item.js';
import { type FeedPage, paginate, soughtFor } from '../domain/feed-page.js';
import type { FeedQuery } from '../domain/feed-query.js';
import type { Moment } from '../domain/moment.js';
import type { FeedStore, RenderedItem } from './ports/feed-store.js';

/** A page of the feed, and the high-water mark of the whole feed from the same snapshot (D8). */
export const readFeed =
  ({ feed }: { readonly feed: FeedStore }) =>
  async (query: FeedQuery): Promise<{ page: FeedPage<RenderedItem>; head: Moment | null }> => {
    const { cursor, since, newsId, marketId, limit } = query;
    const count = soughtFor(limit);
    const { items, head } = await feed.page({ before: cursor, since, newsId, marketId, count });
    const page = paginate(items, limit);
    if (marketId === null) return { page, head };
    return { page: { ...page, items: page.items.map((item) => narrowedTo(marketId, item)) }, head };
  };

export type ReadFeed = ReturnType<typeof readFeed>;

function narrowedTo(marketId: string, rendered: RenderedItem): RenderedItem {
  const item = JSON.parse(rendered.json.toString('utf8')) as FeedItem;
  return { ...rendered, json: Buffer.from(JSON.stringify(narrowed(item, marketId))) };
}
