import type { Moment } from '../../moment.js';
import type { FeedItem, SubMarket } from '../feed-item.js';

type Mentions = Pick<FeedItem, 'related_markets'>;

/** An item of the feed with its time. */
export type TimedItem<Item extends Mentions = FeedItem> = { readonly scoredAt: Moment; readonly item: Item };

/** The price of *yes* of a sub-market when an item of the feed was scored. `yesAsk` is from 0 to 1. */
export type PricePoint = { readonly at: Moment; readonly yesAsk: number };

/** What an item says about a sub-market; undefined if it does not mention it. */
export const mentionOf = (
  subMarketId: string,
  { related_markets: markets }: Mentions,
): SubMarket | undefined =>
  markets.flatMap(({ sub_markets }) => sub_markets).find(({ sub_market_id: id }) => id === subMarketId);

/** The prices of a sub-market at the items that mention it, oldest first. */
export function priceLine(subMarketId: string, items: readonly TimedItem<Mentions>[]): readonly PricePoint[] {
  return items
    .flatMap(({ scoredAt: at, item }) => {
      const mention = mentionOf(subMarketId, item);
      return mention === undefined ? [] : [{ at, yesAsk: mention.market_snapshot.yes_ask }];
    })
    .toSorted((one, other) => (one.at < other.at ? -1 : 1));
}

/** From the first to the last price, in percentage points; null for fewer than two. */
export function moveOf(points: readonly PricePoint[]): number | null {
  const [first, last] = [points.at(0), points.at(-1)];
  if (points.length < 2 || first === undefined || last === undefined) return null;
  return Math.round((last.yesAsk - first.yesAsk) * 1_000) / 10;
}
