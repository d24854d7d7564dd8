import { LRUCache } from 'lru-cache';
import { type FeedQuery, LIMIT } from '../../../domain/feed/feed-query.js';
import { termFilterOf } from '../../../domain/feed/filters/filter-values.js';
import { isRefusal, type Refusal } from '../../../domain/refusal.js';
import { hasQueryKey } from '../keys/query-key.js';
import { parameters } from '../parameters.js';
import { PAGE_PARAMETERS, readParameters } from './feed-parameters.js';

/** Longer query strings are not cached, because they are rare and need more memory. */
const CACHED_LENGTH_MAX = 200;
const CACHED_MAX = 1_000;

/** Caches parsed query strings, because clients that poll repeat the same one. */
export class NewsQueries {
  readonly #read = new LRUCache<string, FeedQuery>({ max: CACHED_MAX });

  read(querystring: string): FeedQuery | Refusal<'invalid_parameter'> {
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
export function newsQuery(querystring: string): FeedQuery | Refusal<'invalid_parameter'> {
  const { values, faults } = readParameters(PAGE_PARAMETERS, parameters(querystring));
  if (faults.length > 0) return { refused: 'invalid_parameter', faults };
  return {
    limit: values.limit ?? LIMIT.default,
    cursor: values.cursor ?? null,
    since: values.since ?? null,
    newsId: values.news_id ?? null,
    marketId: values.market_id ?? null,
    terms: termFilterOf(values),
  };
}
