import type { Facet } from '../../../domain/feed/filters/facets.js';
import { CODES_MAX, readTermValues } from '../../../domain/feed/filters/filter-values.js';
import type { AsOf } from '../../../domain/feed/history/as-of.js';
import { venueOf } from '../../../domain/feed/markets/market-url.js';
import type { Position } from '../../../domain/feed/position.js';
import { readStreamPosition } from '../../../domain/feed/stream-position.js';
import { type NumberRange, readWholeNumber } from '../../../domain/feed/whole-number.js';
import { parseMoment } from '../../../domain/moment.js';
import type { Fault } from '../../../domain/refusal.js';
import { CODES_FORMAT, CODES_MESSAGE, NAMES_FORMAT, NAMES_MESSAGE } from '../schema/filter-formats.js';
import { arrayOf, ID_LENGTH_MAX, ID_PATTERN, id, type JsonSchema } from '../schema/json-schema.js';
import { MOMENT_MESSAGE, readMoment } from '../schema/moment-schemas.js';
import {
  AS_OF_FORMAT,
  AS_OF_MESSAGE,
  IN_REPLAY_MESSAGE,
  POSITION_MESSAGE,
  readPosition,
} from '../schema/position-schemas.js';

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

export const orWrong = <Value>(
  value: Value | null | undefined,
  wrong: Wrong,
): { readonly value: Value } | Wrong => (value === null || value === undefined ? wrong : { value });

export const wholeNumber = (range: NumberRange, description: string) => ({
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

export const time = (description: string) => ({
  read: (text: string) => orWrong(parseMoment(text), { code: 'invalid_moment', message: MOMENT_MESSAGE }),
  schema: { ...readMoment, description },
  isLogged: true,
});

export const position = (description: string) => ({
  read: (text: string) =>
    orWrong(readStreamPosition(text), { code: 'invalid_position', message: POSITION_MESSAGE }),
  schema: { ...readPosition, description },
  isLogged: true,
});

/** A position of the log, or a time (D60). */
export const asOf = (description: string) => ({
  read: readAsOf,
  schema: { type: 'string', format: AS_OF_FORMAT, description, examples: ['2026-01-31T12:00:00.000000Z'] },
  isLogged: true,
});

/** A position inside a replay is no state of the feed. */
function readAsOf(text: string): { readonly value: AsOf } | Wrong {
  const time = parseMoment(text);
  if (time !== undefined) return { value: { by: 'time', time } };
  const progress = readStreamPosition(text);
  if (progress === null) return { code: 'invalid_as_of', message: AS_OF_MESSAGE };
  return progress.of === 'log'
    ? { value: { by: 'position', position: progress.position } }
    : { code: 'in_replay', message: IN_REPLAY_MESSAGE };
}

export const identifier = (description: string) => ({
  read: readId,
  schema: { ...id, description },
  isLogged: true,
});

export const readId = (text: string) => readText(text, ID_LENGTH_MAX);

/** Lengths are those of JSON Schema, in characters. */
function readText(text: string, lengthMax: number): { readonly value: string } | Wrong {
  if (text === '') return { code: 'invalid_min_length', message: 'must NOT have fewer than 1 characters' };
  if ([...text].length > lengthMax)
    return {
      code: 'invalid_max_length',
      message: `must NOT have more than ${lengthMax} characters`,
    };
  const isValid = new RegExp(ID_PATTERN, 'u').test(text);
  return isValid
    ? { value: text }
    : { code: 'invalid_pattern', message: `must match pattern "${ID_PATTERN}"` };
}

/** The longest reference: longer than every URL of a market. */
const REFERENCE_LENGTH_MAX = 2_048;

/** An id, a URL, or a part of one (D63). */
export const references = (valuesMax: number, description: string) => ({
  read: (text: string) => readText(text, REFERENCE_LENGTH_MAX),
  schema: {
    ...arrayOf({ ...id, maxLength: REFERENCE_LENGTH_MAX }),
    minItems: 1,
    maxItems: valuesMax,
    description,
  },
  isLogged: false,
  valuesMax,
});

/** A host, with or without `www.`. */
export const venue = (description: string) => ({
  read: (text: string) => {
    const host = readId(text);
    return 'code' in host ? host : { value: venueOf(host.value) };
  },
  schema: { ...id, description },
  isLogged: false,
});

/** One of several values. Case counts. */
export const oneOf = <Value extends string>(values: readonly Value[], description: string) => ({
  read: (text: string) =>
    orWrong(
      values.find((value) => value === text),
      { code: 'invalid_enum', message: `must be one of ${values.join(', ')}` },
    ),
  schema: { enum: values, description },
  isLogged: true,
});

/** A text of the service that a client sends back. What it means is read later. */
export const cursor = (description: string) => ({
  read: (text: string) => ({ value: text }),
  schema: { type: 'string', description },
  isLogged: true,
});

export const codes = (name: Facet, what: string, example: string) => ({
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

/** Names, which are folded. The access log has none: they can be personal data. */
export const names = (name: Facet, what: string, example: string) => ({
  read: (text: string) =>
    orWrong(readTermValues(name, text), { code: 'invalid_codes', message: NAMES_MESSAGE }),
  schema: {
    type: 'string',
    format: NAMES_FORMAT,
    description: `Only items with ${what}: up to ${CODES_MAX} names, separated by commas. ${FOLDED}`,
    examples: [example],
  },
  isLogged: false,
});

const FOLDED =
  'Only letters and digits are compared, without case and accents, and `-` between words: `l-o-brien` is `L. O’Brien`. Write a name with a comma in this form.';

/** Hosts, with or without `www.`. */
export const venues = (name: Facet, description: string) => ({
  read: (text: string) =>
    orWrong(readTermValues(name, text), { code: 'invalid_codes', message: CODES_MESSAGE }),
  schema: { type: 'string', format: CODES_FORMAT, description, examples: ['polymarket.com'] },
  isLogged: false,
});

/** A position of the log. One inside a replay is no change. */
export const logPosition = (description: string) => ({
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
