import { TERM_PARAMETERS } from '../../../../domain/feed/filters/filter-values.js';
import type { StreamFilter } from '../../../../domain/feed/stream-filter.js';
import type { Fault, Refusal } from '../../../../domain/refusal.js';
import { CODES_MESSAGE } from '../../schema/filter-schemas.js';
import { readFilterValues } from '../filter-parameters.js';
import { schemaFaults, streamFilter } from './stream-parameters.js';

const MARKETS = 'market_id';
const FILTERS: ReadonlySet<string> = new Set([MARKETS, ...TERM_PARAMETERS]);

/** The most faults that are reported. */
const FAULTS_MAX = 20;

const NOT_SUBSCRIBE: Fault = {
  parameter: 'type',
  code: 'not_allowed',
  message: 'must be `subscribe`, in a JSON object: a client sends no other message',
};

/** The filter of a `subscribe` message, or all its faults at once: those of the same filters in a query (D55). */
export function readSubscribe(text: string): StreamFilter | Refusal<'invalid_parameter'> {
  const message = parsedJson(text);
  if (!isObject(message) || message['type'] !== 'subscribe') return refused([NOT_SUBSCRIBE]);
  const sent = Object.entries(message).filter(([name]) => name !== 'type');
  const read = sent.map(([name, value]) => [name, listOf(name, value)] as const);
  const lists = new Map(read.flatMap(([name, list]) => ('code' in list ? [] : [[name, list]])));
  const markets = lists.get(MARKETS) ?? [];
  lists.delete(MARKETS);
  const given = new Map([...lists].map(([name, list]) => [name, list.join(name === 'q' ? ' ' : ',')]));
  const filters = readFilterValues(given);

  const faults = [
    ...read.flatMap(([, list]) => ('code' in list ? [list] : [])),
    ...schemaFaults(given, markets),
  ];
  // The schema refuses the same texts. If the two ever differ, the message is refused.
  for (const fault of filters.faults)
    if (!faults.some(({ parameter }) => parameter === fault.parameter)) faults.push(fault);
  return faults.length > 0 ? refused(faults) : streamFilter(markets, filters.values);
}

const refused = (faults: readonly Fault[]): Refusal<'invalid_parameter'> => ({
  refused: 'invalid_parameter',
  faults: faults.slice(0, FAULTS_MAX),
});

/** The values of a filter, which a message has as a text or as a list. */
function listOf(name: string, value: unknown): readonly string[] | Fault {
  if (!FILTERS.has(name))
    return { parameter: shown(name), code: 'unknown_field', message: 'is not a field of this message' };
  if (value === '' || (Array.isArray(value) && value.length === 0))
    return { parameter: name, code: 'empty', message: 'is empty; leave it out or give it a value' };
  if (typeof value === 'string') return [value];
  if (!isTexts(value))
    return { parameter: name, code: 'invalid_type', message: 'must be a text or a list of texts' };
  const hasComma = name !== MARKETS && name !== 'q' && value.some((code) => code.includes(','));
  return hasComma ? { parameter: name, code: 'invalid_codes', message: CODES_MESSAGE } : value;
}

const SHOWN_MAX = 32;

/** A name that a client chose. A longer name could be a key, of which only the first 12 characters are shown (D42). */
const shown = (name: string): string => (name.length > SHOWN_MAX ? `${name.slice(0, 12)}…` : name);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
