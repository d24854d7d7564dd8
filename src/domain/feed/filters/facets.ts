import type { ReferencedMarket } from '../markets/market-references.js';
import { venueOf } from '../markets/market-url.js';
import type { StoredItem } from '../stored-item.js';
import { foldedName, foldedNames } from './folded-names.js';

/** A filter by a code or a name of the item (D57). */
export type FacetRow = {
  /** The version of the terms that has it first. Its terms must never change: a changed rule is a new facet. */
  readonly since: number;
  /**
   * The facets whose terms of an item a store may keep as one: few combinations of them occur. Null: the term of a value is
   * stored on its own, as the first version did.
   */
  readonly pack: 'names' | 'codes' | null;
  /** What an item has, folded. */
  readonly valuesOf: (
    item: StoredItem,
    markets: readonly ReferencedMarket[],
  ) => readonly (string | null | undefined)[];
  /** The form in which a value of the parameter is compared. Empty if it has nothing to compare. */
  readonly fold: (value: string) => string;
};

/** Case counts. */
const exact = (code: string): string => code;

const subMarketsOf = ({ related_markets: markets = [] }: StoredItem) =>
  markets.flatMap(({ sub_markets: subs = [] }) => subs);

const momentumOf = (passed: boolean | undefined) =>
  passed === undefined ? undefined : passed ? 'passed' : 'failed';

/**
 * All facets, from those of which a value is found in the fewest items to those of which it is found in the most. It is enough
 * that one sub-market has a value.
 */
export const FACETS = {
  author: {
    since: 2,
    pack: 'names',
    valuesOf: ({ news_event: event }) => foldedNames(event?.author ?? ''),
    fold: foldedName,
  },
  source: {
    since: 2,
    pack: 'names',
    valuesOf: ({ news_event: event }) => foldedNames(event?.source_name ?? ''),
    fold: foldedName,
  },
  category: {
    since: 1,
    pack: null,
    valuesOf: ({ news_event: event }) => event?.feed_categories ?? [],
    fold: exact,
  },
  venue: {
    since: 2,
    pack: 'codes',
    valuesOf: (_, markets) => markets.map(({ venue }) => venue),
    fold: venueOf,
  },
  source_type: {
    since: 2,
    pack: 'codes',
    valuesOf: ({ news_event: event }) => [event?.source_type],
    fold: exact,
  },
  source_tier: {
    since: 1,
    pack: null,
    valuesOf: ({ news_event: event }) => [event?.source_tier],
    fold: exact,
  },
  relevance: {
    since: 1,
    pack: null,
    valuesOf: ({ news_event: event }) => [event?.aggregate_event_relevance?.bucket],
    fold: exact,
  },
  effect: {
    since: 2,
    pack: 'codes',
    valuesOf: (item) => subMarketsOf(item).map(({ news_effect: effect }) => effect?.effect),
    fold: exact,
  },
  outcome: {
    since: 2,
    pack: 'codes',
    valuesOf: (item) => subMarketsOf(item).map(({ news_effect: effect }) => effect?.affected_outcome),
    fold: exact,
  },
  momentum: {
    since: 2,
    pack: 'codes',
    valuesOf: (item) => subMarketsOf(item).map(({ momentum }) => momentumOf(momentum?.passed)),
    fold: exact,
  },
} as const satisfies Readonly<Record<string, FacetRow>>;

export type Facet = keyof typeof FACETS;
