import type { ListedItem } from '../../../src/application/ports/feed/feed-store.js';
import type { MarketReading } from '../../../src/application/ports/feed/market-directory.js';
import type { FeedItem, MainMarket, SubMarket } from '../../../src/domain/feed/feed-item.js';
import type { Stored } from '../../../src/domain/feed/stored-item.js';
import { MINUTE, type Moment, plus } from '../../../src/domain/moment.js';
import { NOON } from './builders.js';

export const ALL_MARKETS: MarketReading = {
  ...{ queryWords: [], venue: null, kind: null, mainMarketId: null },
  ...{ references: [], sort: 'news', after: null, count: 1_000 },
};

/** A related market in short: the main market, and its sub-markets with the price of YES. */
export type ShortMarket = {
  readonly main: string;
  readonly title?: string;
  readonly url?: string;
  readonly subs?: Readonly<Record<string, number>>;
};

const SNAPSHOT = {
  volume_24h: 10,
  total_volume: 100,
  yes_ask_source: 'ask',
  no_ask_source: 'ask',
  yes_tick_age_seconds: 1,
  no_tick_age_seconds: 1,
  note: 'reference only',
};

export const snapshotOf = (yes: number): SubMarket['market_snapshot'] => ({
  yes_ask: yes,
  no_ask: 1 - yes,
  ...SNAPSHOT,
});

export const tokensOf = (id: string): SubMarket['outcomes'] => ({
  yes: { token_id: `${id}-yes` },
  no: { token_id: `${id}-no` },
});

/** A stored item with these markets. */
export const storedMarkets = (...markets: readonly ShortMarket[]): Stored<FeedItem> => ({
  related_markets: markets.map(({ main, title = `Title of ${main}`, url = urlOf(main), subs = {} }) => ({
    main_market: { market_id: main, market_url: url, market_title: title } as MainMarket,
    sub_markets: Object.entries(subs).map(([id, yes]) => ({
      sub_market_id: id,
      sub_market_title: `${title}, ${id}`,
      market_url: `${url}/${id}`,
      outcomes: tokensOf(id),
      market_snapshot: snapshotOf(yes),
    })),
  })),
});

export const urlOf = (main: string): string => `https://polymarket.com/event/${main}`;

/** An item with these markets, so many minutes after noon. */
export function marketItem(id: string, minutes: number, ...markets: readonly ShortMarket[]): ListedItem {
  const scoredAt: Moment = plus(NOON, minutes * MINUTE);
  const subMarketIds = markets.flatMap(({ subs = {} }) => Object.keys(subs));
  return { id, scoredAt, subMarketIds, json: Buffer.from(JSON.stringify(storedMarkets(...markets))) };
}
