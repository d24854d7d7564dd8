import { type TermValues, termFilterOf } from '../../../../domain/feed/filters/filter-values.js';
import { BATCH_LIMIT, BATCH_WAIT } from '../../../../domain/feed/stream-batch.js';
import { NO_FILTER, passesAll, type StreamFilter } from '../../../../domain/feed/stream-filter.js';
import type { StreamStart } from '../../../../domain/feed/stream-start.js';
import type { Fault, Refusal } from '../../../../domain/refusal.js';
import { knownParameters } from '../../ignored-parameters.js';
import { parameters } from '../../parameters.js';
import { STREAM_PARAMETERS } from '../feed-parameters.js';
import { type ParameterValues, readParameters, readText } from '../read-parameters.js';
import { onlyValue } from './sent-values.js';

/** What a request asks of a stream (D48). `limit` and `waitMs` are used by batches only (D58). */
export type StreamQuery = {
  readonly start: StreamStart;
  readonly filter: StreamFilter;
  /** Whether the client sent a position of its own (D51). */
  readonly isResumed: boolean;
  readonly limit: number;
  readonly waitMs: number;
};

/** The header in which an `EventSource` sends its position. */
export const LAST_EVENT_ID = 'Last-Event-ID';
/** The parameter in which replacements of `EventSource` send it, because they cannot set headers. */
const LAST_EVENT_ID_PARAMETER = 'lastEventId';
/** An `EventSource` whose id is refused gives up. */
export const LAST_EVENT_IDS: readonly string[] = [LAST_EVENT_ID, LAST_EVENT_ID_PARAMETER];

/** The parameters that the call knows, in any of its forms. */
export const STREAM_KNOWN = knownParameters(STREAM_PARAMETERS, LAST_EVENT_ID_PARAMETER);

/**
 * The stream that a request asks for, or all invalid parameters at once. Unknown parameters are ignored, and `limit` and
 * `wait` unless the request is for a batch. The last event id is read instead of `after` and `since`, unless it is empty:
 * from the header, or if that is empty from its parameter.
 */
export function streamQuery(
  querystring: string,
  header: string,
  isBatch: boolean,
): StreamQuery | Refusal<'invalid_parameter'> {
  const sent = parameters(querystring);
  const last = lastEventOf(header, sent);
  const ignored = [...(last === null ? [] : ['after', 'since']), ...(isBatch ? [] : ['limit', 'wait'])];
  const { values, faults } = readParameters(
    STREAM_PARAMETERS,
    sent.filter(({ name }) => !ignored.includes(name)),
  );
  const start = startOf(values, last);
  if ('code' in start) return { refused: 'invalid_parameter', faults: [...faults, start] };
  if (faults.length > 0) return { refused: 'invalid_parameter', faults };
  return {
    start,
    filter: streamFilter(values, values.market_id, values.news_id),
    isResumed: start.from === 'progress',
    limit: values.limit ?? BATCH_LIMIT.default,
    waitMs: (values.wait ?? BATCH_WAIT.default) * 1_000,
  };
}

function startOf(
  { after, since }: Pick<ParameterValues<typeof STREAM_PARAMETERS>, 'after' | 'since'>,
  last: LastEvent | Fault | null,
): StreamStart | Fault {
  if (last !== null) return 'id' in last ? progressOf(last) : last;
  if (after !== undefined && since !== undefined)
    return { parameter: 'since', code: 'conflict', message: 'must not be given together with `after`' };
  if (after !== undefined) return { from: 'progress', progress: after };
  return since === undefined ? { from: 'now' } : { from: 'time', since };
}

/** The last event id, and the header or parameter that has it. */
type LastEvent = { readonly parameter: string; readonly id: string };

function lastEventOf(header: string, sent: ReturnType<typeof parameters>): LastEvent | Fault | null {
  if (header !== '') return { parameter: LAST_EVENT_ID, id: header };
  const filled = sent.filter(({ value }) => value !== '');
  const id = onlyValue(LAST_EVENT_ID_PARAMETER, filled);
  return typeof id === 'string' ? { parameter: LAST_EVENT_ID_PARAMETER, id } : (id ?? null);
}

function progressOf({ parameter, id }: LastEvent): StreamStart | Fault {
  const read = readText(parameter, STREAM_PARAMETERS.after, id);
  return 'code' in read ? read : { from: 'progress', progress: read.value };
}

/** Most streams have no filter: they share one object. */
export function streamFilter(
  values: TermValues,
  marketIds: readonly string[] = [],
  newsId: string | null = null,
): StreamFilter {
  const terms = termFilterOf(values);
  const filter = { newsId, marketIds: marketIds.length === 0 ? null : new Set(marketIds), terms };
  return passesAll(filter) ? NO_FILTER : filter;
}
