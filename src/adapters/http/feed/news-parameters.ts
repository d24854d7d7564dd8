import { LRUCache } from 'lru-cache';
import { type FeedQuery, LIMIT } from '../../../domain/feed/feed-query.js';
import { termFilterOf } from '../../../domain/feed/filters/filter-values.js';
import type { AsOf } from '../../../domain/feed/history/as-of.js';
import { filterNames } from '../../../domain/feed/stream-filter.js';
import { ignoredParameters } from '../../../domain/ignored-parameters.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { type Fault, isRefusal, type Refusal } from '../../../domain/refusal.js';
import { knownParameters } from '../ignored-parameters.js';
import { hasQueryKey } from '../keys/query-key.js';
import { type Parameter, parameters } from '../parameters.js';
import { FILTER_PARAMETERS, PAGE_PARAMETERS } from './feed-parameters.js';
import { type ParameterValues, readParameters } from './read-parameters.js';

/** Longer query strings are not cached, because they are rare and need more memory. */
const CACHED_LENGTH_MAX = 200;
const CACHED_MAX = 1_000;

/** `asOf`: the change up to which the page shows the feed; null for the feed as it is (D60). */
export type NewsQuery = FeedQuery & { readonly asOf: AsOf | null };

/** A query string as it is read: its query or its faults, and the parameters that the page does not know (D13). */
export type ReadQuery = {
  readonly query: NewsQuery | Refusal<'invalid_parameter'>;
  readonly ignored: readonly string[];
  /** The names of the filters (D65). */
  readonly filters: readonly string[];
};

const KNOWN = knownParameters(PAGE_PARAMETERS);

/** Caches parsed query strings, because clients that poll repeat the same one. */
export class NewsQueries {
  readonly #read = new LRUCache<string, ReadQuery>({ max: CACHED_MAX });
  readonly #keyFormat: KeyFormat;

  constructor(keyFormat: KeyFormat) {
    this.#keyFormat = keyFormat;
  }

  read(querystring: string): ReadQuery {
    const cached = this.#read.get(querystring);
    if (cached !== undefined) return cached;
    const sent = parameters(querystring);
    const query = newsQuery(sent);
    const ignored = ignoredParameters(sent, KNOWN, this.#keyFormat);
    const read = { query, ignored, filters: isRefusal(query) ? [] : namesOf(query) };
    const isCacheable = !isRefusal(query) && querystring.length <= CACHED_LENGTH_MAX;
    // A query string with a key is never kept (D19).
    if (isCacheable && !hasQueryKey(querystring)) this.#read.set(querystring, read);
    return read;
  }
}

const namesOf = ({ newsId, marketId, terms }: FeedQuery): readonly string[] =>
  filterNames({ newsId, marketIds: marketId === null ? null : new Set([marketId]), terms });

/** The query of a page, or all invalid parameters at once (contract section 4, D13). Unknown parameters are ignored. */
export function newsQuery(sent: readonly Parameter[]): NewsQuery | Refusal<'invalid_parameter'> {
  const { values, faults: unreadable } = readParameters(PAGE_PARAMETERS, sent);
  const faults = [...unreadable, ...filtersOfThePast(values)];
  if (faults.length > 0) return { refused: 'invalid_parameter', faults };
  return {
    limit: values.limit ?? LIMIT.default,
    cursor: values.cursor ?? null,
    since: values.since ?? null,
    newsId: values.news_id ?? null,
    marketId: values.market_id ?? null,
    terms: termFilterOf(values),
    asOf: values.as_of ?? null,
  };
}

/** Terms are stored for the items that are in the feed, so they cannot find the versions of the past (D60). */
const filtersOfThePast = (values: ParameterValues<typeof PAGE_PARAMETERS>): readonly Fault[] =>
  values.as_of === undefined
    ? []
    : (Object.keys(FILTER_PARAMETERS) as (keyof typeof FILTER_PARAMETERS)[])
        .filter((name) => values[name] !== undefined)
        .map((parameter) => ({
          parameter,
          code: 'not_with_as_of',
          message: 'must not be sent together with `as_of`',
        }));
