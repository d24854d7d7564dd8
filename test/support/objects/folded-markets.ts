import type { FeedPages } from '../../../src/application/ports/feed/feed-store.js';
import type { FeedItem } from '../../../src/domain/feed/feed-item.js';
import { marketFactsOf, marketKey } from '../../../src/domain/feed/markets/market-facts.js';
import type { MarketRow } from '../../../src/domain/feed/markets/market-row.js';
import type { Stored } from '../../../src/domain/feed/stored-item.js';

/** The rows of the directory as a reader computes them from a whole walk of the feed, by their keys. */
export async function foldedMarkets(feed: FeedPages): Promise<ReadonlyMap<string, MarketRow>> {
  const range = { before: null, since: null, newsId: null, marketId: null, terms: [], count: 1_000_000 };
  const { items } = await feed.page(range);
  const rows = new Map<string, MarketRow>();
  // Newest first: the first item of a market is its newest one.
  for (const { json, scoredAt } of items)
    for (const facts of marketFactsOf(JSON.parse(json.toString()) as Stored<FeedItem>)) {
      const row = rows.get(marketKey(facts)) ?? {
        facts,
        firstNewsAt: scoredAt,
        lastNewsAt: scoredAt,
        newsCount: 0,
      };
      rows.set(marketKey(facts), { ...row, firstNewsAt: scoredAt, newsCount: row.newsCount + 1 });
    }
  return rows;
}
