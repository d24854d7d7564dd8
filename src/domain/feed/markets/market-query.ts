import { type Moment, parseMoment } from '../../moment.js';
import type { MarketKind, MarketName } from './market-facts.js';
import { type MarketRow, titleWords } from './market-row.js';

/** The markets of one page: at least 1, by default 50, at most 500. */
export const MARKETS_LIMIT = { minimum: 1, maximum: 500, default: 50 } as const;

/** The references of one request. */
export const REFERENCES_MAX = 20;

/** `news`: the market with the newest item first. `id`: a walk in this order lists every market, whatever is published meanwhile. */
export const MARKET_SORTS = ['news', 'id'] as const;
export type MarketSort = (typeof MARKET_SORTS)[number];

/** Where a market is in both orders. */
export type MarketPlace = MarketName & { readonly lastNewsAt: Moment };

export type MarketFilter = {
  /** All of them are in the title. */
  readonly queryWords: readonly string[];
  readonly venue: string | null;
  readonly kind: MarketKind | null;
  /** Only its sub-markets. */
  readonly mainMarketId: string | null;
};

export const placeOf = ({ facts: { kind, marketId }, lastNewsAt }: MarketRow): MarketPlace => ({
  kind,
  marketId,
  lastNewsAt,
});

export function passesMarketFilter(
  { queryWords, venue, kind, mainMarketId }: MarketFilter,
  { facts }: MarketRow,
): boolean {
  if (venue !== null && facts.venue !== venue) return false;
  if (kind !== null && facts.kind !== kind) return false;
  if (mainMarketId !== null && facts.mainMarketId !== mainMarketId) return false;
  if (queryWords.length === 0) return true;
  const own = titleWords(facts);
  return queryWords.every((word) => own.has(word));
}

/** Negative if the first place comes before the second one. Texts are in the order of their bytes, as Postgres has them (`C`). */
export function comparePlaces(sort: MarketSort, one: MarketPlace, other: MarketPlace): number {
  if (sort === 'news' && one.lastNewsAt !== other.lastNewsAt)
    return one.lastNewsAt > other.lastNewsAt ? -1 : 1;
  return bytesOrder(one.marketId, other.marketId) || bytesOrder(one.kind, other.kind);
}

const bytesOrder = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

/** The text of a place in an order, as clients send it back. It is opaque to them. */
export const marketCursor = (sort: MarketSort, { kind, marketId, lastNewsAt }: MarketPlace): string =>
  Buffer.from(JSON.stringify([sort, kind, marketId, lastNewsAt])).toString('base64url');

/** Null for a text that `marketCursor` does not return for this order. */
export function readMarketCursor(sort: MarketSort, text: string): MarketPlace | null {
  const read = parsed(Buffer.from(text, 'base64url').toString('utf8'));
  if (!Array.isArray(read)) return null;
  const [of, kind, marketId, lastNewsAt] = read as readonly unknown[];
  if (of !== sort || (kind !== 'main' && kind !== 'sub')) return null;
  if (typeof marketId !== 'string' || typeof lastNewsAt !== 'string') return null;
  const found = { kind, marketId, lastNewsAt: lastNewsAt as Moment } as const;
  return marketCursor(sort, found) === text && isMoment(lastNewsAt) ? found : null;
}

const isMoment = (text: string): boolean => parseMoment(text) === text;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
