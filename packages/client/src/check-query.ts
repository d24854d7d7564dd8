import { invalidOptions } from './errors.js';
import { FILTERS } from './honoured.js';
import type { FollowQuery, HistoryQuery, MarketsQuery, PageQuery } from './query.js';

/** The parameters of a call, as the names of a table: its type makes it complete, and its values mean nothing. */
type Parameters<Query> = { readonly [Name in keyof Required<Query>]: unknown };

const IDS = { ...FILTERS, since: 1, news_id: 1, market_id: 1 } as const;

export const PAGE: Parameters<PageQuery> = { ...IDS, limit: 1, cursor: 1, as_of: 1 };
export const FOLLOW: Parameters<FollowQuery> = { ...IDS, after: 1 };
export const HISTORY: Parameters<HistoryQuery> = { ...FOLLOW, until: 1 };
// biome-ignore format: a table is read by its columns
export const MARKETS: Parameters<MarketsQuery> = {
  ref: 1, q: 1, venue: 1, kind: 1, main_market_id: 1, sort: 1, limit: 1, cursor: 1,
};

/**
 * Throws `invalid_options` if the call has no such parameter: the service ignores a name with a typing error, which would select
 * everything. JavaScript has no types to find it.
 */
export function checkQuery(query: object, parameters: Readonly<Record<string, unknown>>): void {
  const wrong = Object.keys(query).find((name) => !Object.hasOwn(parameters, name));
  if (wrong !== undefined) throw invalidOptions(`\`${wrong}\` is no parameter of this call.`);
}
