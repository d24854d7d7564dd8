import type { FeedItem, SubMarket } from '../feed-item.js';
import type { Stored } from '../stored-item.js';
import { readMarketUrl } from './market-url.js';

export const MARKET_KINDS = ['main', 'sub'] as const;
export type MarketKind = (typeof MARKET_KINDS)[number];

/** A main market and a sub-market can have the same id, so a market is named by both. */
export type MarketName = { readonly kind: MarketKind; readonly marketId: string };

/** What one item says about a market. */
export type MarketFacts = MarketName & {
  /** Null for a main market. */
  readonly mainMarketId: string | null;
  readonly url: string;
  readonly title: string;
  /** The host of the URL without `www.`. Null if the URL cannot be read. */
  readonly venue: string | null;
  /** Null for a main market. */
  readonly outcomes: SubMarket['outcomes'] | null;
  /** Null for a main market. */
  readonly snapshot: SubMarket['market_snapshot'] | null;
};

/** The text that tells markets apart. */
export const marketKey = ({ kind, marketId }: MarketName): string => `${kind}:${marketId}`;

/** The markets of a stored item, each once, main markets before their sub-markets. */
export function marketFactsOf({ related_markets: markets = [] }: Stored<FeedItem>): readonly MarketFacts[] {
  const facts = markets.flatMap(({ main_market: main = {}, sub_markets: subs = [] }) => [
    ...mainFacts(main),
    ...subs.flatMap((sub) => subFacts(sub, main.market_id ?? null)),
  ]);
  const byKey = new Map<string, MarketFacts>();
  for (const each of facts) if (!byKey.has(marketKey(each))) byKey.set(marketKey(each), each);
  return [...byKey.values()];
}

type StoredMarket = NonNullable<Stored<FeedItem>['related_markets']>[number];

function mainFacts(main: NonNullable<StoredMarket['main_market']>): readonly MarketFacts[] {
  const { market_id: marketId, market_url: url = '', market_title: title = '' } = main;
  if (marketId === undefined) return [];
  const common = { marketId, url, title, venue: readMarketUrl(url)?.venue ?? null };
  return [{ kind: 'main', ...common, mainMarketId: null, outcomes: null, snapshot: null }];
}

function subFacts(
  sub: NonNullable<StoredMarket['sub_markets']>[number],
  mainMarketId: string | null,
): readonly MarketFacts[] {
  const { sub_market_id: marketId, market_url: url = '', sub_market_title: title = '' } = sub;
  if (marketId === undefined) return [];
  const common = { marketId, url, title, venue: readMarketUrl(url)?.venue ?? null };
  const outcomes = {
    yes: { token_id: sub.outcomes?.yes?.token_id ?? null },
    no: { token_id: sub.outcomes?.no?.token_id ?? null },
  };
  // Publications are checked, so a stored snapshot is whole.
  const snapshot = (sub.market_snapshot as SubMarket['market_snapshot'] | undefined) ?? null;
  return [{ kind: 'sub', ...common, mainMarketId, outcomes, snapshot }];
}
