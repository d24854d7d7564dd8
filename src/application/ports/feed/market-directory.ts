import type { SubscriptionId } from '../../../domain/billing/subscription.js';
import type { MarketFilter, MarketPlace, MarketSort } from '../../../domain/feed/markets/market-query.js';
import type { MarketRow } from '../../../domain/feed/markets/market-row.js';

/** The markets that a reader asks for: those that pass the filter and, if there are references, match one of them. */
export type MarketReading = MarketFilter & {
  readonly references: readonly string[];
  readonly sort: MarketSort;
  /** Only the markets after it in the order; null for the first ones. */
  readonly after: MarketPlace | null;
  readonly count: number;
};

/** A market with the references of the reading that it matches. */
export type FoundMarket = { readonly row: MarketRow; readonly references: readonly string[] };

export type FoundMarkets = {
  readonly markets: readonly FoundMarket[];
  /** The references that no market of the directory matches, whatever the filter is. */
  readonly unknown: readonly string[];
};

/**
 * The directory of the markets of the feed (D63).
 *
 * What every adapter guarantees:
 * - `find` returns the first `count` markets in the order of `comparePlaces`, from one snapshot with `unknown`;
 * - a reference matches as `referenceKeys` says;
 * - while no generation was completed yet, it throws `NotNow`: an empty directory would call every reference unknown.
 */
export interface MarketDirectory {
  /** `reader`: for whom it is read. Readers share a store that is busy. */
  find(reading: MarketReading, reader?: SubscriptionId): Promise<FoundMarkets>;
}
