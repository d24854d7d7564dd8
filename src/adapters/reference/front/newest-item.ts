import type { ReadFeed } from '../../../application/feed/read-feed.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { FeedItem } from '../../../domain/feed/feed-item.js';
import type { FeedQuery } from '../../../domain/feed/feed-query.js';
import { NO_TERMS } from '../../../domain/feed/filters/item-terms.js';
import { type PricePoint, priceLine } from '../../../domain/feed/markets/price-line.js';
import { between, type Moment, SECOND } from '../../../domain/moment.js';

/** The newest item of the feed with the prices of its first sub-market, as it was at `at`. */
export type Newest = {
  readonly item: FeedItem;
  readonly points: readonly PricePoint[];
  readonly at: Moment;
};

type Parts = { readonly readFeed: ReadFeed; readonly clock: Clock };

/** One object, so that the feed recognises the query. */
const NEWEST: FeedQuery = {
  limit: 1,
  cursor: null,
  since: null,
  newsId: null,
  marketId: null,
  terms: NO_TERMS,
};
/** The items whose prices are shown. */
const POINTS = 30;

/**
 * Reads the newest item at most once a second, whatever the number of visitors. Null if there is none, or if the feed cannot
 * be read: the routes of the feed report the fault.
 */
export function newestItem({ readFeed, clock }: Parts): () => Promise<Newest | null> {
  let last: { readonly at: Moment; readonly newest: Promise<Newest | null> } | null = null;

  async function pointsOf(item: FeedItem): Promise<readonly PricePoint[]> {
    const [sub] = item.related_markets[0]?.sub_markets ?? [];
    if (sub === undefined) return [];
    const marketId = sub.sub_market_id;
    const { page, bytesOf } = await readFeed({ ...NEWEST, limit: POINTS, marketId });
    const items = page.items.map((each) => ({
      scoredAt: each.scoredAt,
      item: JSON.parse(bytesOf(each).toString('utf8')) as FeedItem,
    }));
    return priceLine(marketId, items);
  }

  async function read(at: Moment): Promise<Newest | null> {
    try {
      const { page, bytesOf } = await readFeed(NEWEST);
      const [first] = page.items;
      if (first === undefined) return null;
      const item = JSON.parse(bytesOf(first).toString('utf8')) as FeedItem;
      return { item, points: await pointsOf(item), at };
    } catch {
      return null;
    }
  }

  return async function newest() {
    const now = clock();
    const age = last === null ? SECOND : between(last.at, now);
    if (last === null || age < 0 || age >= SECOND) last = { at: now, newest: read(now) };
    const found = await last.newest;
    if (found === null) last = null; // The first item of a feed is shown at once.
    return found;
  };
}
