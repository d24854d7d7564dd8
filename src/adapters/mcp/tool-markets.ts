import type { CallApi, Query } from './api.js';
import { shortened } from './compact-item.js';
import { call, marketNotFound, type ToolOutcome } from './tool-pages.js';
import { questionOf, type Texts } from './tool-question.js';

type Market = {
  readonly market_id: string;
  readonly kind: string;
  readonly main_market_id: string | null;
  readonly market_url: string;
  readonly market_title: string;
  readonly news_count: number;
  readonly last_news_at: string;
  readonly last_snapshot: { readonly yes_ask: number } | null;
};
type Markets = {
  readonly markets: readonly Market[];
  readonly next_cursor: string | null;
  readonly unknown: readonly string[];
};

const TITLE_LENGTH_MAX = 120;
/** A longer URL would not be one after it was shortened. */
const URL_LENGTH_MAX = 200;

/** What an agent reads of a market. */
const compactMarket = (market: Market) => ({
  market_id: market.market_id,
  kind: market.kind,
  main_market_id: market.main_market_id,
  market_title: shortened(market.market_title, TITLE_LENGTH_MAX),
  market_url: market.market_url.length > URL_LENGTH_MAX ? null : market.market_url,
  last_yes_ask: market.last_snapshot?.yes_ask ?? null,
  last_news_at: market.last_news_at,
  news_count: market.news_count,
});

/** Finds markets in the directory. A reference that no market of the feed has is an error, because it is mostly a mistake. */
export async function findMarkets(callApi: CallApi, query: Query, count: number): Promise<ToolOutcome> {
  const question = await questionOf(query, (sample) => readTitles(callApi, sample));
  if ('error' in question) return question;
  const { queryWords } = question;
  const called = await call(callApi, '/pm/v2/markets', { ...question.query, limit: String(count) });
  if ('error' in called) return called;
  const { markets, next_cursor, unknown } = called.answer.json as Markets;
  if (unknown.length > 0) return marketNotFound();
  return { result: { markets: markets.map(compactMarket), next_cursor, query_words: queryWords } };
}

async function readTitles(callApi: CallApi, query: Query): Promise<Texts> {
  const called = await call(callApi, '/pm/v2/markets', query);
  if ('error' in called) return called;
  return { texts: (called.answer.json as Markets).markets.map(({ market_title }) => market_title) };
}
