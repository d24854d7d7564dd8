import type { MarketsQuery } from '../../../../application/feed/read-markets.js';
import { MARKETS_LIMIT, readMarketCursor } from '../../../../domain/feed/markets/market-query.js';
import type { Fault, Refusal } from '../../../../domain/refusal.js';
import { knownParameters } from '../../ignored-parameters.js';
import { parameters } from '../../parameters.js';
import { MARKETS_PARAMETERS } from '../feed-parameters.js';
import { readParameters } from '../read-parameters.js';

const WRONG_CURSOR: Fault = {
  parameter: 'cursor',
  code: 'invalid_cursor',
  message: 'must be a `next_cursor` of this call, unchanged, with the same `sort`',
};

/** The parameters that the call knows. */
export const MARKETS_KNOWN = knownParameters(MARKETS_PARAMETERS);

/** The query of the directory of markets, or all invalid parameters at once (D63). Unknown parameters are ignored. */
export function marketsQuery(querystring: string): MarketsQuery | Refusal<'invalid_parameter'> {
  const { values, faults } = readParameters(MARKETS_PARAMETERS, parameters(querystring));
  const { sort = 'news', cursor } = values;
  const after = cursor === undefined ? null : readMarketCursor(sort, cursor);
  const all = cursor !== undefined && after === null ? [...faults, WRONG_CURSOR] : faults;
  if (all.length > 0) return { refused: 'invalid_parameter', faults: all };
  return {
    references: values.ref ?? [],
    queryWords: values.q ?? [],
    venue: values.venue ?? null,
    kind: values.kind ?? null,
    mainMarketId: values.main_market_id ?? null,
    sort,
    after,
    limit: values.limit ?? MARKETS_LIMIT.default,
  };
}
