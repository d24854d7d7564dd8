import type { MarketsPage } from '../../../../application/feed/read-markets.js';
import type { FoundMarket } from '../../../../application/ports/feed/market-directory.js';
import { type MarketSort, marketCursor } from '../../../../domain/feed/markets/market-query.js';

/** The body of a page of the directory. The schema is `MarketPage`. */
export const marketsJson = ({ markets, next, unknown }: MarketsPage, sort: MarketSort): string =>
  JSON.stringify({
    markets: markets.map(marketJson),
    next_cursor: next === null ? null : marketCursor(sort, next),
    unknown,
  });

const marketJson = ({ row, references }: FoundMarket) => {
  const { facts, firstNewsAt, lastNewsAt, newsCount } = row;
  return {
    market_id: facts.marketId,
    kind: facts.kind,
    main_market_id: facts.mainMarketId,
    market_url: facts.url,
    market_title: facts.title,
    venue: facts.venue,
    outcomes: facts.outcomes,
    first_news_at: firstNewsAt,
    last_news_at: lastNewsAt,
    news_count: newsCount,
    last_snapshot: facts.snapshot === null ? null : { ...facts.snapshot, scored_at: lastNewsAt },
    refs: references,
  };
};
