import type { FeedItem } from '../feed-item.js';
import { wordsOf } from './text-words.js';

/** The filters by a code of the item, and the codes that an item has (D57). */
const CODES_OF = {
  category: (event) => event.feed_categories ?? [],
  source_tier: (event) => [event.source_tier],
  relevance: (event) => [event.aggregate_event_relevance?.bucket],
} as const satisfies Readonly<Record<string, (event: StoredEvent) => readonly (string | undefined)[]>>;

export type Facet = keyof typeof CODES_OF;
export const FACETS = Object.keys(CODES_OF) as readonly Facet[];

declare const term: unique symbol;

/** Something that an item can be found by: its kind, a colon and the value, such as `category:politics`. */
export type Term = string & { readonly [term]: true };

export const termOf = (kind: Facet | 'market' | 'word', value: string): Term => `${kind}:${value}` as Term;

export const isFacet = (term: Term): boolean => FACETS.some((facet) => term.startsWith(`${facet}:`));

/** An item passes if it has a term of each list. The empty filter passes every item. */
export type TermFilter = readonly (readonly Term[])[];

export const NO_TERMS: TermFilter = [];

export const passes = (filter: TermFilter, terms: ReadonlySet<Term>): boolean =>
  filter.every((anyOf) => anyOf.some((term) => terms.has(term)));

/** The most words of one item that count, so that one item cannot fill the index. */
const ITEM_WORDS_MAX = 10_000;

/** The JSON of an item. Another version may have stored it, so every part is optional. */
type Stored<T> = T extends readonly (infer Element)[]
  ? readonly Stored<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Stored<T[Key]> }
    : T;

type StoredEvent = Stored<FeedItem['news_event']>;

export type SearchableItem = { readonly json: Buffer; readonly subMarketIds: readonly string[] };

/** The terms of an item: its codes, its sub-markets, and the words of its headlines, contexts and market titles (D57). */
export function termsOf({ json, subMarketIds }: SearchableItem): ReadonlySet<Term> {
  const { news_event: event = {}, related_markets: markets = [] } = JSON.parse(
    json.toString('utf8'),
  ) as Stored<FeedItem>;
  const texts = [
    event.headline,
    event.short_headline,
    event.short_context,
    event.long_context,
    ...markets.flatMap(({ main_market: main, sub_markets: subs = [] }) => [
      main?.market_title,
      ...subs.map((sub) => sub.sub_market_title),
    ]),
  ];
  const terms = new Set(subMarketIds.map((id) => termOf('market', id)));
  for (const facet of FACETS)
    for (const code of CODES_OF[facet](event)) if (code !== undefined) terms.add(termOf(facet, code));
  for (const word of wordsOf(texts.join(' '), ITEM_WORDS_MAX)) terms.add(termOf('word', word));
  return terms;
}

/** The list of a filter that the fewest items have one of: mostly a word, else a category. Null if there is none. */
export const narrowestOf = (filter: TermFilter): readonly Term[] | null =>
  filter.find((anyOf) => anyOf.some((term) => !isFacet(term))) ??
  filter.find((anyOf) => anyOf.some((term) => term.startsWith('category:'))) ??
  filter[0] ??
  null;

/** A filter that also requires a sub-market. */
export const withMarket = (filter: TermFilter, marketId: string | null): TermFilter =>
  marketId === null ? filter : [...filter, [termOf('market', marketId)]];
