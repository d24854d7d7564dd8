import { marketReferencesOf, type ReferencedMarket } from '../markets/market-references.js';
import type { StoredItem } from '../stored-item.js';
import { FACETS, type Facet, type FacetRow } from './facets.js';
import { searchedTexts } from './searched-texts.js';
import { wordsOf } from './text-words.js';

declare const term: unique symbol;

/** Something that an item can be found by: its kind, a colon and the value, such as `category:politics`. */
export type Term = string & { readonly [term]: true };

/** `market`: the id of a sub-market. `ref`: anything else that a reference to a market can be. */
type OtherKind = 'market' | 'ref' | 'word';

export const termOf = (kind: Facet | OtherKind, value: string): Term => `${kind}:${value}` as Term;

/** The version of the terms that had these kinds first. */
const OTHERS_SINCE: Readonly<Record<OtherKind, number>> = { market: 1, word: 1, ref: 2 };

export const kindOf = (term: Term): string => term.slice(0, term.indexOf(':'));

/** An item passes if it has a term of each list. The empty filter passes every item. */
export type TermFilter = readonly (readonly Term[])[];

export const NO_TERMS: TermFilter = [];

export const passes = (filter: TermFilter, terms: ReadonlySet<Term>): boolean =>
  filter.every((anyOf) => anyOf.some((term) => terms.has(term)));

/**
 * A longer value of a facet has no term, and no item is found by it: a store could not index it. The names of a long list of
 * authors have their own terms.
 */
const VALUE_LENGTH_MAX = 600;

/** The most words of one item that count, so that one item cannot fill the index. */
const ITEM_WORDS_MAX = 10_000;

export type SearchableItem = { readonly json: Buffer; readonly subMarketIds: readonly string[] };

export const storedItemOf = ({ json }: Pick<SearchableItem, 'json'>): StoredItem =>
  JSON.parse(json.toString('utf8'));

/** The terms of an item as a store may keep them. */
export type TermLists = {
  readonly single: ReadonlySet<Term>;
  /** Terms that mostly occur together: an item has all of a pack. `isFacet`: they are all terms of facets. */
  readonly packs: readonly { readonly terms: readonly Term[]; readonly isFacet: boolean }[];
};

/**
 * What items are found by (D57). Terms are stored with their version: those of an older one are valid for the kinds that it
 * had, so a new facet needs the next number, and no item is written again before filters can use the others.
 */
export type TermTable = {
  readonly version: number;
  /** The codes and names of an item, its markets, and the words of its headlines, contexts and market titles. */
  readonly termsOf: (item: SearchableItem) => ReadonlySet<Term>;
  readonly listsOf: (item: SearchableItem) => TermLists;
  readonly isFacet: (term: Term) => boolean;
  /** The first version whose terms decide a filter. */
  readonly versionFor: (filter: TermFilter) => number;
};

type Facets = Readonly<Record<string, FacetRow>>;

export function termTable(facets: Facets): TermTable {
  const versions = new Map<string, number>([
    ...Object.entries(OTHERS_SINCE),
    ...Object.entries(facets).map(([kind, { since }]) => [kind, since] as const),
  ]);
  const listsOf = (item: SearchableItem) => termListsOf(facets, item);
  return {
    version: Math.max(...versions.values()),
    termsOf: (item) => joined(listsOf(item)),
    listsOf,
    // Most terms are words.
    isFacet: (term) => !term.startsWith('word:') && Object.hasOwn(facets, kindOf(term)),
    versionFor: (filter) => Math.max(1, ...filter.flat().map((each) => versions.get(kindOf(each)) ?? 1)),
  };
}

/** The terms that this version of the service stores. */
export const TERMS = termTable(FACETS);
export const { termsOf, isFacet } = TERMS;

function joined({ single, packs }: TermLists): ReadonlySet<Term> {
  const all = new Set(single);
  for (const { terms } of packs) for (const term of terms) all.add(term);
  return all;
}

function termListsOf(facets: Facets, searchable: SearchableItem): TermLists {
  const item = storedItemOf(searchable);
  const markets = marketReferencesOf(item);
  const single = new Set(searchable.subMarketIds.map((id) => termOf('market', id)));
  const packed = new Map<string, Set<Term>>();
  for (const [kind, { pack, valuesOf }] of Object.entries(facets)) {
    const list = pack === null ? single : (packed.get(pack) ?? new Set());
    if (pack !== null) packed.set(pack, list);
    for (const value of valuesOf(item, markets).filter(isIndexed)) list.add(`${kind}:${value}` as Term);
  }
  for (const word of wordsOf(searchedTexts(item).join(' '), ITEM_WORDS_MAX)) single.add(termOf('word', word));
  const ofFacets = [...packed.values()].map((terms) => ({ terms: [...terms], isFacet: true }));
  const ofMarkets = marketPacks(markets).map((terms) => ({ terms, isFacet: false }));
  return { single, packs: [...ofFacets, ...ofMarkets] };
}

const isIndexed = (value: string | null | undefined): boolean =>
  Boolean(value) && (value?.length ?? 0) <= VALUE_LENGTH_MAX;

/** The references to each sub-market and to its main market: they are the same in every item. */
function marketPacks(markets: readonly ReferencedMarket[]): readonly (readonly Term[])[] {
  const mains = new Map<string, readonly Term[]>();
  for (const market of markets) {
    const known = mains.get(market.marketId) ?? [];
    if (market.kind === 'main') mains.set(market.marketId, [...known, ...referenceTermsOf(market)]);
  }
  const alone = new Map(mains);
  const packs: (readonly Term[])[] = [];
  for (const market of markets) {
    if (market.kind === 'main') continue;
    const mainId = market.mainMarketId ?? '';
    packs.push([...referenceTermsOf(market), ...(mains.get(mainId) ?? [])]);
    alone.delete(mainId);
  }
  return [...packs, ...alone.values()];
}

/**
 * The references that mean a market. Its page without query and fragment is none of them: it is the fallback of the directory,
 * for a reference that nothing in the whole feed has, and an item does not know the feed (D65).
 */
export function referenceTermsOf({ kind, marketId, keys }: ReferencedMarket): readonly Term[] {
  const id = `id:${marketId}`;
  const others = keys.filter((key) => key !== id && !key.startsWith('page:'));
  const own = kind === 'sub' ? termOf('market', marketId) : termOf('ref', id);
  return [own, ...others.map((key) => termOf('ref', key))];
}

const KINDS: readonly string[] = Object.keys(FACETS);

/** The list of a filter that the fewest items have one of: mostly a word, else the first facet. Null if there is none. */
export function narrowestOf(filter: TermFilter): readonly Term[] | null {
  const placeOf = ([term]: readonly Term[]) => (term === undefined ? -1 : KINDS.indexOf(kindOf(term)));
  return filter.toSorted((a, b) => placeOf(a) - placeOf(b))[0] ?? null;
}

/** A filter that also requires a sub-market. */
export const withMarket = (filter: TermFilter, marketId: string | null): TermFilter =>
  marketId === null ? filter : [...filter, [termOf('market', marketId)]];
