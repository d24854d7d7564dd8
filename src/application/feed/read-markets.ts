import type { SubscriptionId } from '../../domain/billing/subscription.js';
import { type MarketPlace, placeOf } from '../../domain/feed/markets/market-query.js';
import type { FoundMarkets, MarketDirectory, MarketReading } from '../ports/feed/market-directory.js';

/** What a reader asks for: at most `limit` markets. */
export type MarketsQuery = Omit<MarketReading, 'count'> & { readonly limit: number };

/** A page of the directory. `next` is the last market of the page; null if no market follows it. */
export type MarketsPage = FoundMarkets & { readonly next: MarketPlace | null };

/** Reads a page of the directory of markets for a subscription (D63). One market more is read, to know whether there is one. */
export const readMarkets = ({ marketDirectory }: { readonly marketDirectory: MarketDirectory }) =>
  async function readMarkets(
    { limit, ...query }: MarketsQuery,
    reader?: SubscriptionId,
  ): Promise<MarketsPage> {
    const { markets, unknown } = await marketDirectory.find({ ...query, count: limit + 1 }, reader);
    const page = markets.slice(0, limit);
    const last = page.at(-1);
    const next = markets.length > limit && last !== undefined ? placeOf(last.row) : null;
    return { markets: page, unknown, next };
  };

export type ReadMarkets = ReturnType<typeof readMarkets>;
