import { marketReferencesOf, type ReferencedMarket, referenceKeys } from '../markets/market-references.js';
import type { StoredItem } from '../stored-item.js';
import { referenceTermsOf, type Term, type TermFilter, termOf } from './item-terms.js';

/** The most references of one filter. */
export const MARKETS_MAX = 20;

/**
 * The terms of an item with one of these references: a market id, a URL, its last path segment, or a token id (D65). The sub-market
 * id is the reference as it was sent.
 */
export const termsOfReferences = (references: readonly string[]): readonly Term[] => [
  ...new Set(
    references.flatMap((text) => [
      termOf('market', text),
      termOf('ref', `id:${text}`),
      ...(referenceKeys(text)[0] ?? []).map((key) => termOf('ref', key)),
    ]),
  ),
];

const MARKET = 'market:';

/** The list of a filter with the terms of references. Null if there is none. */
export const referencesOf = (filter: TermFilter): readonly Term[] | null =>
  filter.find((anyOf) => anyOf.some((term) => term.startsWith('ref:'))) ?? null;

/** The references that became this list. */
export const textsOfReferences = (anyOf: readonly Term[]): readonly string[] =>
  anyOf.flatMap((term) => (term.startsWith(MARKET) ? term.slice(MARKET.length) : []));

/** The markets of an item, with the terms by which references find them. */
export type FoundMarket = Pick<ReferencedMarket, 'kind' | 'marketId' | 'mainMarketId'> & {
  readonly terms: readonly Term[];
};

export const foundMarketsOf = (item: StoredItem): readonly FoundMarket[] =>
  marketReferencesOf(item).map((market) => ({ ...market, terms: referenceTermsOf(market) }));

/** The sub-markets that references match. Those of a main market that they match are among them. */
export function matchedSubMarkets(
  anyOf: readonly Term[],
  markets: readonly FoundMarket[],
): ReadonlySet<string> {
  const wanted = new Set(anyOf);
  const matched = markets.filter(({ terms }) => terms.some((term) => wanted.has(term)));
  const mains = new Set(matched.flatMap(({ kind, marketId }) => (kind === 'main' ? [marketId] : [])));
  const subs = markets.filter(
    (market) =>
      market.kind === 'sub' &&
      (matched.includes(market) || (market.mainMarketId !== null && mains.has(market.mainMarketId))),
  );
  return new Set(subs.map(({ marketId }) => marketId));
}
