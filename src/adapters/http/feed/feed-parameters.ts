// Longer than 300 lines: the tables of all calls share the readers of single parameters.
import { LIMIT } from '../../../domain/feed/feed-query.js';
import {
  CODES_MAX,
  QUERY_WORDS_MAX,
  readTermValues,
  type TermParameter,
} from '../../../domain/feed/filters/filter-values.js';
import type { AsOf } from '../../../domain/feed/history/as-of.js';
import { HISTORY_LIMIT } from '../../../domain/feed/history/history-limits.js';
import type { Position } from '../../../domain/feed/position.js';
import { BATCH_LIMIT, BATCH_WAIT } from '../../../domain/feed/stream-batch.js';
import { FILTER_MARKETS_MAX } from '../../../domain/feed/stream-filter.js';
import { readStreamPosition } from '../../../domain/feed/stream-position.js';
import { type NumberRange, readWholeNumber } from '../../../domain/feed/whole-number.js';
import { parseMoment } from '../../../domain/moment.js';
import type { Fault } from '../../../domain/refusal.js';
import type { Parameter } from '../parameters.js';
import { CODES_FORMAT, CODES_MESSAGE, WORDS_FORMAT, WORDS_MESSAGE } from '../schema/filter-formats.js';
import { arrayOf, ID_LENGTH_MAX, ID_PATTERN, id, type JsonSchema } from '../schema/json-schema.js';
import { MOMENT_MESSAGE, readMoment } from '../schema/moment-schemas.js';
import {
  AS_OF_FORMAT,
  AS_OF_MESSAGE,
  IN_REPLAY_MESSAGE,
  POSITION_MESSAGE,
  readPosition,
} from '../schema/position-schemas.js';
import { onlyValue, sentValue } from './stream/sent-values.js';

/** What is wrong with a text. */
type Wrong = Pick<Fault, 'code' | 'message'>;

/**
 * A parameter of the feed. Pages, streams, messages of a WebSocket, the API documents, the access log and the types of the
 * client all use its row.
 */
export type FeedParameter<Value> = {
  readonly read: (text: string) => { readonly value: Value } | Wrong;
  /** As the API documents describe it. */
  readonly schema: JsonSchema;
  /** Whether the access log has it. It has no words and no names that a customer wrote. */
  readonly isLogged: boolean;
  /** The most values, if it may be repeated. */
  readonly valuesMax?: number;
};

const orWrong = <Value>(value: Value | null | undefined, wrong: Wrong): { readonly value: Value } | Wrong =>
  value === null || value === undefined ? wrong : { value };

const wholeNumber = (range: NumberRange, description: string) => ({
  read: (text: string) => readNumber(text, range),
  schema: { type: 'integer', ...range, description },
  isLogged: true,
});

function readNumber(text: string, range: NumberRange): { readonly value: number } | Wrong {
  const number = readWholeNumber(text, range);
  const message = `must be from ${range.minimum} to ${range.maximum}`;
  if (number === undefined) {
    const digits = String(range.maximum).length;
    return { code: 'invalid_type', message: `${message}, as at most ${digits} digits without a sign` };
  }
  const isInRange = number >= range.minimum && number <= range.maximum;
  return isInRange ? { value: number } : { code: 'out_of_range', message };
}

const time = (description: string) => ({
  read: (text: string) => orWrong(parseMoment(text), { code: 'invalid_moment', message: MOMENT_MESSAGE }),
  schema: { ...readMoment, description },
  isLogged: true,
});

const position = (description: string) => ({
  read: (text: string) =>
    orWrong(readStreamPosition(text), { code: 'invalid_position', message: POSITION_MESSAGE }),
  schema: { ...readPosition, description },
  isLogged: true,
});

/** A position of the log, or a time (D60). A position inside a replay is no state of the feed. */
function readAsOf(text: string): { readonly value: AsOf } | Wrong {
  const time = parseMoment(text);
  if (time !== undefined) return { value: { by: 'time', time } };
  const progress = readStreamPosition(text);
  if (progress === null) return { code: 'invalid_as_of', message: AS_OF_MESSAGE };
  return progress.of === 'log'
    ? { value: { by: 'position', position: progress.position } }
    : { code: 'in_replay', message: IN_REPLAY_MESSAGE };
}

const identifier = (description: string) => ({
  read: readId,
  schema: { ...id, description },
  isLogged: true,
});

/** Lengths are those of JSON Schema, in characters. */
function readId(text: string): { readonly value: string } | Wrong {
  if (text === '') return { code: 'invalid_min_length', message: 'must NOT have fewer than 1 characters' };
  if ([...text].length > ID_LENGTH_MAX)
    return {
      code: 'invalid_max_length',
      message: `must NOT have more than ${ID_LENGTH_MAX} characters`,
    };
  const isValid = new RegExp(ID_PATTERN, 'u').test(text);
  return isValid
    ? { value: text }
    : { code: 'invalid_pattern', message: `must match pattern "${ID_PATTERN}"` };
}

const codes = (name: TermParameter, what: string, example: string) => ({
  read: (text: string) =>
    orWrong(readTermValues(name, text), { code: 'invalid_codes', message: CODES_MESSAGE }),
  schema: {
    type: 'string',
    format: CODES_FORMAT,
    description: `Only items with ${what}: up to ${CODES_MAX} codes, separated by commas. Case counts.`,
    examples: [example],
  },
  isLogged: true,
});

/** The filters by the content of an item (D57). */
export const FILTER_PARAMETERS = {
  category: codes('category', 'one of these values in `feed_categories`', 'politics,economy'),
  source_tier: codes('source_tier', 'one of these values of `source_tier`', 't1'),
  relevance: codes(
    'relevance',
    'one of these values of the bucket in `aggregate_event_relevance`',
    'high,medium',
  ),
  q: {
    read: (text: string) =>
      orWrong(readTermValues('q', text), { code: 'invalid_words', message: WORDS_MESSAGE }),
    schema: {
      type: 'string',
      format: WORDS_FORMAT,
      description: `Only items that have all of these words, up to ${QUERY_WORDS_MAX}, in a headline, a context or the title of a market. Whole words are compared, without case and accents. Of a word, the first 32 characters count.`,
      examples: ['interest rate'],
    },
    isLogged: false,
  },
} as const satisfies Readonly<Record<TermParameter, FeedParameter<readonly string[]>>>;

/** The query parameters of `GET /pm/v2/news` (contract section 4, D13). */
export const PAGE_PARAMETERS = {
  limit: wholeNumber(LIMIT, 'Items per page.'),
  cursor: time('The next_cursor of the previous page. Returns only older items.'),
  since: time('Returns only items whose scored_at is this time or later.'),
  news_id: identifier('Returns only the news event with this id.'),
  market_id: identifier('Returns only items with this sub-market, without their other sub-markets.'),
  as_of: {
    read: readAsOf,
    schema: {
      type: 'string',
      format: AS_OF_FORMAT,
      description:
        'Returns the page as it was: at this position, which is the `Feed-Position` of an earlier answer, or at this time. Not together with filters by content.',
      examples: ['2026-01-31T12:00:00.000000Z'],
    },
    isLogged: true,
  },
  ...FILTER_PARAMETERS,
} as const;

/** The query parameters of `GET /pm/v2/stream` (D48); `limit` and `wait` are those of a batch (D58). */
export const STREAM_PARAMETERS = {
  after: position('Sends the changes after this position. Not together with `since`.'),
  since: time(
    'Sends the items whose scored_at is this time or later, oldest first, then the changes. Not together with `after`.',
  ),
  market_id: {
    read: readId,
    schema: {
      ...arrayOf(id),
      minItems: 1,
      maxItems: FILTER_MARKETS_MAX,
      description: `Sends only items with one of these sub-markets, without their others. Repeat it up to ${FILTER_MARKETS_MAX} times.`,
    },
    isLogged: true,
    valuesMax: FILTER_MARKETS_MAX,
  },
  ...FILTER_PARAMETERS,
  limit: wholeNumber(
    BATCH_LIMIT,
    'Only with `Accept: application/json`: the items and retractions of one batch.',
  ),
  wait: wholeNumber(
    BATCH_WAIT,
    'Only with `Accept: application/json`: the seconds to wait for the first message.',
  ),
} as const;

/** A position of the log. One inside a replay is no change. */
const logPosition = (description: string) => ({
  read: (text: string): { readonly value: Position } | Wrong => {
    const progress = readStreamPosition(text);
    if (progress === null) return { code: 'invalid_position', message: POSITION_MESSAGE };
    return progress.of === 'log'
      ? { value: progress.position }
      : { code: 'in_replay', message: IN_REPLAY_MESSAGE };
  },
  schema: { ...readPosition, description },
  isLogged: true,
});

/** The query parameters of `GET /pm/v2/history` (D61); `limit` is that of a page. */
export const HISTORY_PARAMETERS = {
  after: logPosition('Returns the changes after this position. Not together with `since`.'),
  since: time('Returns the changes that became known at this time or later. Not together with `after`.'),
  until: {
    read: readAsOf,
    schema: {
      type: 'string',
      format: AS_OF_FORMAT,
      description:
        'Ends with the change at this position, or with the last one known at this time. Default: now.',
      examples: ['2026-01-31T12:00:00.000000Z'],
    },
    isLogged: true,
  },
  news_id: identifier('Returns only the changes of the news event with this id.'),
  market_id: STREAM_PARAMETERS.market_id,
  ...FILTER_PARAMETERS,
  limit: wholeNumber(HISTORY_LIMIT, 'Only with `Accept: application/json`: the changes of one page.'),
} as const;

type Table = Readonly<Record<string, FeedParameter<unknown>>>;
type ValueOf<Row> = Row extends FeedParameter<infer Value> ? Value : never;

/** The values of parameters. One that may be repeated has a list. */
export type ParameterValues<Rows extends Table> = {
  readonly [Name in keyof Rows]?: Rows[Name] extends { readonly valuesMax: number }
    ? readonly ValueOf<Rows[Name]>[]
    : ValueOf<Rows[Name]>;
};

/** Reads the parameters of a table in a query string, with all faults at once. Others are ignored (D13). */
export function readParameters<Rows extends Table>(
  rows: Rows,
  sent: readonly Parameter[],
): { readonly values: ParameterValues<Rows>; readonly faults: readonly Fault[] } {
  const values: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [name, row] of Object.entries(rows)) {
    const read = row.valuesMax === undefined ? readOnly(name, row, sent) : readEach(name, row, sent);
    if (read === undefined) continue;
    if ('code' in read) faults.push(read);
    else values[name] = read.value;
  }
  return { values: values as ParameterValues<Rows>, faults };
}

type Read = { readonly value: unknown } | Fault | undefined;

function readOnly(name: string, row: FeedParameter<unknown>, sent: readonly Parameter[]): Read {
  const text = onlyValue(name, sent);
  return typeof text === 'string' ? readText(name, row, text) : text;
}

function readEach(name: string, row: FeedParameter<unknown>, sent: readonly Parameter[]): Read {
  const texts = sent.filter((parameter) => parameter.name === name).map(sentValue);
  if (texts.length === 0) return undefined;
  const unreadable = texts.find((text) => typeof text === 'object');
  return (
    unreadable ??
    readTexts(
      name,
      row,
      texts.filter((text) => typeof text === 'string'),
    )
  );
}

/** The values of texts, or the first fault of them. */
export function readTexts<Value>(
  name: string,
  row: FeedParameter<Value>,
  texts: readonly string[],
): { readonly value: readonly Value[] } | Fault {
  const { valuesMax = 1 } = row;
  if (texts.length > valuesMax)
    return {
      parameter: name,
      code: 'invalid_max_items',
      message: `must NOT have more than ${valuesMax} items`,
    };
  const values: Value[] = [];
  for (const text of texts) {
    const read = readText(name, row, text);
    if ('code' in read) return read;
    values.push(read.value);
  }
  return { value: values };
}

export function readText<Value>(
  name: string,
  { read }: FeedParameter<Value>,
  text: string,
): { readonly value: Value } | Fault {
  const answer = read(text);
  return 'code' in answer ? { parameter: name, ...answer } : answer;
}

/** The schemas of a table, by the names of its parameters. */
export const schemasOf = (rows: Table): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(Object.entries(rows).map(([name, { schema }]) => [name, schema]));

/** The parameters that the access log has. */
export const LOGGED_PARAMETERS: readonly string[] = Object.entries({
  ...PAGE_PARAMETERS,
  ...STREAM_PARAMETERS,
  ...HISTORY_PARAMETERS,
})
  .filter(([, { isLogged }]) => isLogged)
  .map(([name]) => name);
