import { LRUCache } from 'lru-cache';
import { type FeedQuery, LIMIT } from '../../../domain/feed/feed-query.js';
import { TERM_PARAMETERS, termFilterOf } from '../../../domain/feed/filters/filter-values.js';
import { readWholeNumber } from '../../../domain/feed/whole-number.js';
import { type Moment, parseMoment } from '../../../domain/moment.js';
import { type Fault, isRefusal, type Refusal } from '../../../domain/refusal.js';
import { hasQueryKey } from '../keys/query-key.js';
import { parameters } from '../parameters.js';
import { MOMENT_MESSAGE } from '../schema/moment-schemas.js';
import { validator } from '../schema/validator.js';
import { readFilterValues } from './filter-parameters.js';
import { onlyValue } from './stream/sent-values.js';

const KNOWN = ['limit', 'cursor', 'since', 'news_id', 'market_id', ...TERM_PARAMETERS] as const;
const faultsBySchema = validator('NewsParameters');

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
export function newsQuery(
  querystring: string,
  faultsOf = faultsBySchema,
): FeedQuery | Refusal<'invalid_parameter'> {
  const sent = parameters(querystring);
  const read = KNOWN.map((name) => [name, onlyValue(name, sent)] as const);
  const given = new Map(read.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
  const limit = given.get('limit');

  const faults = [
    ...read.flatMap(([, value]) => (typeof value === 'object' ? [value] : [])),
    ...faultsOf({
      ...Object.fromEntries(given),
      // A limit that is not a number stays text, which the schema refuses.
      ...(limit !== undefined && { limit: readWholeNumber(limit, LIMIT) ?? limit }),
    }).map((fault) => ({ ...fault, parameter: fault.parameter.slice(1) })),
  ];
  // The schema refuses what the functions below cannot read. If the two ever differ, this function refuses the request.
  // Without its cursor the request would get the newest page, and a client that reads page after page would never reach
  // the end.
  const cursor = readMoment('cursor', given);
  const since = readMoment('since', given);
  const filters = readFilterValues(given);
  for (const fault of [cursor, since, ...filters.faults]) {
    if (isFault(fault) && !faults.some(({ parameter }) => parameter === fault.parameter)) faults.push(fault);
  }
  if (faults.length > 0 || isFault(cursor) || isFault(since)) return { refused: 'invalid_parameter', faults };

  return {
    limit: Number(limit ?? LIMIT.default),
    cursor,
    since,
    newsId: given.get('news_id') ?? null,
    marketId: given.get('market_id') ?? null,
    terms: termFilterOf(filters.values),
  };
}

function readMoment(name: 'cursor' | 'since', given: ReadonlyMap<string, string>): Moment | Fault | null {
  const text = given.get(name);
  if (text === undefined) return null;
  return parseMoment(text) ?? { parameter: name, code: 'invalid_moment', message: MOMENT_MESSAGE };
}

const isFault = (read: Moment | Fault | null): read is Fault => typeof read === 'object' && read !== null;
