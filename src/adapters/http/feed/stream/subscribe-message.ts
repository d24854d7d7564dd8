import type { StreamFilter } from '../../../../domain/feed/stream-filter.js';
import { ownValue } from '../../../../domain/own-value.js';
import type { Fault, Refusal } from '../../../../domain/refusal.js';
import { CODES_MESSAGE } from '../../schema/filter-formats.js';
import type { FeedParameter } from '../feed-parameter.js';
import { FILTER_PARAMETERS, STREAM_PARAMETERS } from '../feed-parameters.js';
import { readText, readTexts } from '../read-parameters.js';
import { streamFilter } from './stream-parameters.js';

const MARKETS = 'market_id';
const REFERENCES = 'market';
const NEWS = 'news_id';

/** What a query repeats for each value. */
const isRepeated = (name: string): name is typeof MARKETS | typeof REFERENCES =>
  name === MARKETS || name === REFERENCES;

const { [REFERENCES]: _, ...CODES_AND_WORDS } = FILTER_PARAMETERS;

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
  const faults: Fault[] = [];
  const values: Record<string, readonly string[]> = {};
  for (const [name, value] of Object.entries(message)) {
    if (name === 'type') continue;
    const list = listOf(name, value);
    const read = 'code' in list ? list : readList(name, list);
    if ('code' in read) faults.push(read);
    else values[name] = read.value;
  }
  return faults.length > 0 ? refused(faults) : streamFilter(values, values[MARKETS], values[NEWS]?.[0]);
}

/** The values of a filter, from the texts of a list. Words of several texts count together. */
function readList(name: string, list: readonly string[]): { readonly value: readonly string[] } | Fault {
  if (isRepeated(name) || name === NEWS) return readTexts(name, STREAM_PARAMETERS[name], list);
  const row = ownValue<FeedParameter<readonly string[]>>(CODES_AND_WORDS, name);
  return row === undefined ? unknownField(name) : readText(name, row, list.join(name === 'q' ? ' ' : ','));
}

const refused = (faults: readonly Fault[]): Refusal<'invalid_parameter'> => ({
  refused: 'invalid_parameter',
  faults: faults.slice(0, FAULTS_MAX),
});

/** The values of a filter, which a message has as a text or as a list. */
function listOf(name: string, value: unknown): readonly string[] | Fault {
  if (name !== MARKETS && name !== NEWS && !Object.hasOwn(FILTER_PARAMETERS, name)) return unknownField(name);
  if (value === '' || (Array.isArray(value) && value.length === 0))
    return { parameter: name, code: 'empty', message: 'is empty; leave it out or give it a value' };
  if (typeof value === 'string') return [value];
  if (name === NEWS) return { parameter: name, code: 'invalid_type', message: 'must be a text' };
  if (!isTexts(value))
    return { parameter: name, code: 'invalid_type', message: 'must be a text or a list of texts' };
  const hasComma = !isRepeated(name) && name !== 'q' && value.some((code) => code.includes(','));
  return hasComma ? { parameter: name, code: 'invalid_codes', message: CODES_MESSAGE } : value;
}

const unknownField = (name: string): Fault => ({
  parameter: shown(name),
  code: 'unknown_field',
  message: 'is not a field of this message',
});

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
