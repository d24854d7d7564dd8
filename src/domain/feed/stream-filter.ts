import { termValuesOf } from './filters/filter-values.js';
import {
  NO_TERMS,
  narrowestOf,
  passes,
  type SearchableItem,
  storedItemOf,
  type Term,
  type TermFilter,
  termsOf,
} from './filters/item-terms.js';
import {
  type FoundMarket,
  foundMarketsOf,
  matchedSubMarkets,
  referencesOf,
} from './filters/market-filter.js';

/** What a stream shows (D48, D57). Null: no filter by news event, or by sub-market. */
export type StreamFilter = {
  readonly newsId: string | null;
  readonly marketIds: ReadonlySet<string> | null;
  readonly terms: TermFilter;
};

export const NO_FILTER: StreamFilter = { newsId: null, marketIds: null, terms: NO_TERMS };

/** Whether every item passes whole. */
export const passesAll = ({ newsId, marketIds, terms }: StreamFilter): boolean =>
  newsId === null && marketIds === null && terms.length === 0;

/** The names of the parameters that made a filter, sorted: answers repeat those that were honoured (D65). */
export const filterNames = ({ newsId, marketIds, terms }: StreamFilter): readonly string[] =>
  [
    ...(newsId === null ? [] : ['news_id']),
    ...(marketIds === null ? [] : ['market_id']),
    ...Object.keys(termValuesOf(terms)),
  ].toSorted();

/** The most sub-markets of one filter (D48). */
export const FILTER_MARKETS_MAX = 50;

/** How a filter shows an item: whole, or narrowed to some of its sub-markets. */
export type Shown = 'whole' | readonly string[];

/** A change of the feed, without its position. `item`: the item after the change. */
export type ShownChange<Item> =
  | { readonly kind: 'published' | 'replaced'; readonly id: string; readonly item: Item }
  | { readonly kind: 'retracted'; readonly id: string };

/** Whether a filter is about this news event at all. */
export const concerns = ({ newsId }: StreamFilter, id: string): boolean => newsId === null || newsId === id;

/** What is read of an item only if a filter needs it. */
export type ItemReading = {
  readonly terms: () => ReadonlySet<Term>;
  readonly markets: () => readonly FoundMarket[];
};

const readingOf = (item: SearchableItem): ItemReading => ({
  terms: () => termsOf(item),
  markets: () => foundMarketsOf(storedItemOf(item)),
});

/** Null if an item that the filter is about does not pass it. */
export function shownBy(
  filter: StreamFilter,
  item: SearchableItem,
  reading: ItemReading = readingOf(item),
): Shown | null {
  if (filter.terms.length > 0 && !passes(filter.terms, reading.terms())) return null;
  return narrowed(filter, item.subMarketIds, reading.markets);
}

/**
 * What is shown of an item that passes by its terms: the sub-markets that both filters by market match, or if none is matched
 * by both, those that one of them matches (D65). Null if it has none of `marketIds`.
 */
export function narrowed(
  { marketIds, terms }: Pick<StreamFilter, 'marketIds' | 'terms'>,
  subMarketIds: readonly string[],
  markets: () => readonly FoundMarket[],
): Shown | null {
  const named = marketIds === null ? null : subMarketIds.filter((id) => marketIds.has(id));
  if (named?.length === 0) return null;
  const references = referencesOf(terms);
  if (references === null) return named ?? 'whole';
  const matched = matchedSubMarkets(references, markets());
  const both = (named ?? subMarketIds).filter((id) => matched.has(id));
  if (both.length > 0) return both;
  const either = subMarketIds.filter((id) => matched.has(id) || named?.includes(id));
  // A main market without sub-markets was matched.
  return either.length > 0 ? either : 'whole';
}

type FilterKeys =
  | { readonly newsId: string }
  | { readonly marketIds: ReadonlySet<string> }
  | { readonly terms: readonly Term[] };

/** What an item must have one of to pass a filter, to find the filters of an item; null if every item passes. */
export function keysOf({ newsId, marketIds, terms }: StreamFilter): FilterKeys | null {
  if (newsId !== null) return { newsId };
  if (marketIds !== null) return { marketIds };
  const narrowest = narrowestOf(terms);
  return narrowest === null ? null : { terms: narrowest };
}

/** What a stream sends of a change: the item, its retraction, or nothing (null). */
export type Sent = { readonly type: 'item'; readonly shown: Shown } | { readonly type: 'retraction' } | null;

const RETRACTION: Sent = { type: 'retraction' };
const WHOLE: Sent = { type: 'item', shown: 'whole' };

/**
 * What a filter passes of a change (D49). The client may hold the item from before: therefore every stream gets every
 * retraction, and a replacement that does not pass is a retraction. A filter by news event passes only changes of that one.
 */
export function sentOf<Item extends SearchableItem>(
  filter: StreamFilter,
  change: ShownChange<Item>,
  reading?: ItemReading,
): Sent {
  if (!concerns(filter, change.id)) return null;
  if (change.kind === 'retracted') return RETRACTION;
  const shown = shownBy(filter, change.item, reading);
  if (shown === null) return change.kind === 'replaced' ? RETRACTION : null;
  return shown === 'whole' ? WHOLE : { type: 'item', shown };
}
