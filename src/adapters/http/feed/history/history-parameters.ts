import type { HistoryBounds } from '../../../../application/feed/read-history.js';
import { HISTORY_LIMIT } from '../../../../domain/feed/history/history-limits.js';
import type { StreamFilter } from '../../../../domain/feed/stream-filter.js';
import type { Fault, Refusal } from '../../../../domain/refusal.js';
import { knownParameters } from '../../ignored-parameters.js';
import { parameters } from '../../parameters.js';
import { HISTORY_PARAMETERS } from '../feed-parameters.js';
import { type ParameterValues, readParameters } from '../read-parameters.js';
import { streamFilter } from '../stream/stream-parameters.js';

/** What a request asks of the history (D61). `limit` is used by pages only. */
export type HistoryQuery = {
  readonly bounds: HistoryBounds;
  readonly filter: StreamFilter;
  readonly limit: number;
};

/** The parameters that the call knows. */
export const HISTORY_KNOWN = knownParameters(HISTORY_PARAMETERS);

/** The query of the history, or all invalid parameters at once. Unknown parameters are ignored. */
export function historyQuery(querystring: string): HistoryQuery | Refusal<'invalid_parameter'> {
  const { values, faults } = readParameters(HISTORY_PARAMETERS, parameters(querystring));
  const all = [...faults, ...conflicts(values)];
  if (all.length > 0) return { refused: 'invalid_parameter', faults: all };
  return {
    bounds: { from: fromOf(values), until: values.until ?? null },
    filter: streamFilter(values, values.market_id, values.news_id),
    limit: values.limit ?? HISTORY_LIMIT.default,
  };
}

type Values = ParameterValues<typeof HISTORY_PARAMETERS>;

const conflicts = ({ after, since }: Values): readonly Fault[] =>
  after === undefined || since === undefined
    ? []
    : [{ parameter: 'since', code: 'conflict', message: 'must not be given together with `after`' }];

function fromOf({ after, since }: Values): HistoryBounds['from'] {
  if (after !== undefined) return { after };
  return since === undefined ? null : { since };
}
