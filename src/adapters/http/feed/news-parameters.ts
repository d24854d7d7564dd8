import { LRUCache } from 'lru-cache';
import { type FeedQuery, LIMIT } from '../../../domain/feed/feed-query.js';
import { termFilterOf } from '../../../domain/feed/filters/filter-values.js';
import type { AsOf } from '../../../domain/feed/history/as-of.js';
import { type Fault, isRefusal, type Refusal } from '../../../domain/refusal.js';
import { hasQueryKey } from '../keys/query-key.js';
import { parameters } from '../parameters.js';
import { FILTER_PARAMETERS, PAGE_PARAMETERS } from './feed-parameters.js';
import { type ParameterValues, readParameters } from './read-parameters.js';

/** Longer query strings are not cached, because they are rare and need more memory. */
const CACHED_LENGTH_MAX = 200;
const CACHED_MAX = 1_000;

/** `asOf`: the change up to which the page shows the feed; null for the feed as it is (D60). */
export type NewsQuery = FeedQuery & { readonly asOf: AsOf | null };

/** Caches parsed query strings, because clients that poll repeat the same one. */
export class NewsQueries {
  readonly #read = new LRUCache<string, NewsQuery>({ max: CACHED_MAX });

  read(querystring: string): NewsQuery | Refusal<'invalid_parameter'> {
    const cached = this.#read.get(querystring);
    if (cached !== undefined) return cached;
    const query = newsQuery(querystring);
    const isCacheable = !isRefusal(query) && querystring.length <= CACHED_LENGTH_MAX;
    // A query string with a key is never kept (D19).
    if (isCacheable && !hasQueryKey(querystring)) this.#read.set(querystring, query);
    return query;
  }
}

/** The query of a page, or all invalid parameters at once (contract section 4, D13). Unknown parameters are ignored. */
export function newsQuery(querystring: string): NewsQuery | Refusal<'invalid_parameter'> {
  const { values, faults: unreadable } = readParameters(PAGE_PARAMETERS, parameters(querystring));
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
