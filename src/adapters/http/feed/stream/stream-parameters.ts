import {
  TERM_PARAMETERS,
  type TermValues,
  termFilterOf,
} from '../../../../domain/feed/filters/filter-values.js';
import { BATCH_LIMIT, BATCH_WAIT } from '../../../../domain/feed/stream-batch.js';
import { NO_FILTER, type StreamFilter } from '../../../../domain/feed/stream-filter.js';
import { readStreamPosition } from '../../../../domain/feed/stream-position.js';
import type { StreamStart } from '../../../../domain/feed/stream-start.js';
import { readWholeNumber } from '../../../../domain/feed/whole-number.js';
import { parseMoment } from '../../../../domain/moment.js';
import type { Fault, Refusal } from '../../../../domain/refusal.js';
import { parameters } from '../../parameters.js';
import { MOMENT_MESSAGE } from '../../schema/moment-schemas.js';
import { POSITION_MESSAGE } from '../../schema/stream-parameters-schema.js';
import { validator } from '../../schema/validator.js';
import { readFilterValues } from '../filter-parameters.js';
import { onlyValue, sentValue } from './sent-values.js';

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

const STARTS = ['after', 'since'] as const;
const OF_BATCHES = ['limit', 'wait'] as const;

const faultsBySchema = validator('StreamParameters');

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
  const names = [...(last === null ? STARTS : []), ...(isBatch ? OF_BATCHES : []), ...TERM_PARAMETERS];
  const read = names.map((name) => [name, onlyValue(name, sent)] as const);
  const given = new Map(read.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
  const markets = sent.filter(({ name }) => name === 'market_id').map(sentValue);
  const marketIds = markets.filter((market) => typeof market === 'string');
  const start = startOf(given, last);
  const filters = readFilterValues(given);

  const faults = [
    ...read.flatMap(([, value]) => (typeof value === 'object' ? [value] : [])),
    ...markets.filter((market) => typeof market === 'object').slice(0, 1),
    ...schemaFaults(given, marketIds),
  ];
  for (const fault of ['code' in start ? [start] : [], filters.faults].flat())
    if (!faults.some(({ parameter }) => parameter === fault.parameter)) faults.push(fault);
  if (faults.length > 0 || 'code' in start) return { refused: 'invalid_parameter', faults };

  return {
    start,
    filter: streamFilter(marketIds, filters.values),
    isResumed: start.from === 'progress',
    limit: Number(given.get('limit') ?? BATCH_LIMIT.default),
    waitMs: Number(given.get('wait') ?? BATCH_WAIT.default) * 1_000,
  };
}

/** The faults by the schema, at most one for each parameter. */
export function schemaFaults(
  given: ReadonlyMap<string, string>,
  marketIds: readonly string[],
): readonly Fault[] {
  const [limit, wait] = [given.get('limit'), given.get('wait')];
  const faults = faultsBySchema({
    ...Object.fromEntries(given),
    ...(marketIds.length > 0 && { market_id: marketIds }),
    // Text that is not a number stays text, which the schema refuses.
    ...(limit !== undefined && { limit: readWholeNumber(limit, BATCH_LIMIT) ?? limit }),
    ...(wait !== undefined && { wait: readWholeNumber(wait, BATCH_WAIT) ?? wait }),
  });
  const named = faults.map((fault) => ({ ...fault, parameter: fault.parameter.split('/')[1] ?? '' }));
  return named.filter(({ parameter }, i) => named.findIndex((other) => other.parameter === parameter) === i);
}

/**
 * Where the stream starts. The schema refuses the same texts. If the two ever differ, this function refuses the request:
 * a stream that starts elsewhere than the client asked would lose changes.
 */
function startOf(given: ReadonlyMap<string, string>, last: LastEvent | Fault | null): StreamStart | Fault {
  if (last !== null) return 'id' in last ? progressOf(last.parameter, last.id) : last;
  const [after, since] = STARTS.map((name) => given.get(name));
  if (after !== undefined && since !== undefined) {
    return { parameter: 'since', code: 'conflict', message: 'must not be given together with `after`' };
  }
  if (after !== undefined) return progressOf('after', after);
  if (since === undefined) return { from: 'now' };
  const at = parseMoment(since);
  return at === undefined
    ? { parameter: 'since', code: 'invalid_moment', message: MOMENT_MESSAGE }
    : { from: 'time', since: at };
}

/** The last event id, and the header or parameter that has it. */
type LastEvent = { readonly parameter: string; readonly id: string };

function lastEventOf(header: string, sent: ReturnType<typeof parameters>): LastEvent | Fault | null {
  if (header !== '') return { parameter: LAST_EVENT_ID, id: header };
  const filled = sent.filter(({ value }) => value !== '');
  const id = onlyValue(LAST_EVENT_ID_PARAMETER, filled);
  return typeof id === 'string' ? { parameter: LAST_EVENT_ID_PARAMETER, id } : (id ?? null);
}

function progressOf(parameter: string, text: string): StreamStart | Fault {
  const progress = readStreamPosition(text);
  if (progress === null) return { parameter, code: 'invalid_position', message: POSITION_MESSAGE };
  return { from: 'progress', progress };
}

/** Most streams have no filter: they share one object. */
export function streamFilter(marketIds: readonly string[], values: TermValues): StreamFilter {
  const terms = termFilterOf(values);
  if (marketIds.length === 0 && terms.length === 0) return NO_FILTER;
  return { marketIds: marketIds.length === 0 ? null : new Set(marketIds), terms };
}
