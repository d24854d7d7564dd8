import { CODES_PATTERN } from '../../../domain/feed/filters/filter-values.js';
import { WORDS_PATTERN } from '../../../domain/feed/filters/text-words.js';
import { POSITION_PATTERN } from '../../../domain/feed/position.js';
import { READ_MOMENT_PATTERN } from '../../../domain/moment.js';
import { ownValue } from '../../../domain/own-value.js';
import { CODES_FORMAT, NAMES_FORMAT, WORDS_FORMAT } from '../schema/filter-formats.js';
import { ID_PATTERN, type JsonSchema } from '../schema/json-schema.js';
import { READ_MOMENT_FORMAT } from '../schema/moment-schemas.js';
import { AS_OF_FORMAT, READ_POSITION_FORMAT } from '../schema/position-schemas.js';

/**
 * The pattern of an id, in the syntax that every dialect of regular expressions has. Most generated validators compile a
 * pattern without the flag `u`, and `\p{Cc}` then means other characters. Surrogates are left out: without the flag each half of a
 * pair is one, and valid ids have pairs.
 */
export const PORTABLE_ID_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

/**
 * The patterns of the formats that only this service knows. A text that the service accepts matches its pattern. The
 * schemas with which the service validates have only the format, so that a wrong text is one fault.
 */
export const FORMAT_PATTERNS: Readonly<Record<string, string>> = {
  [READ_MOMENT_FORMAT]: READ_MOMENT_PATTERN,
  [READ_POSITION_FORMAT]: POSITION_PATTERN,
  [AS_OF_FORMAT]: `(?:${POSITION_PATTERN})|(?:${READ_MOMENT_PATTERN})`,
  [CODES_FORMAT]: CODES_PATTERN,
  [NAMES_FORMAT]: CODES_PATTERN,
  [WORDS_FORMAT]: WORDS_PATTERN,
};

/** What the service reads, with the patterns of its formats. It accepts nothing else. */
export const publishedInput = <Node>(node: Node): Node => mapSchemas(node, withPattern);

/**
 * What the service sends, open for later versions: properties and codes can be added. Kinds of messages too: a client asks for the `type` of a message before it
 * validates it. The schemas in
 * `components.ts` are closed, so that tests find everything that is not described. The list of known codes is
 * `x-extensible-enum`, because JSON Schema has no keyword for an open list.
 */
export const publishedOutput = <Node>(node: Node): Node =>
  mapSchemas(node, (schema) => withOpenCodes(withoutClosing(withPattern(schema))));

/** What is no schema for a value: examples, and what a value must not be. */
const UNMAPPED: ReadonlySet<string> = new Set(['example', 'examples', 'not']);

/** Maps each object of a document. A property can have the name of a keyword, so each function checks the value too. */
function mapSchemas<Node>(node: Node, map: (schema: JsonSchema) => JsonSchema): Node {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((member) => mapSchemas(member, map)) as Node;
  const members = Object.entries(node).map(([name, member]) => [
    name,
    UNMAPPED.has(name) ? member : mapSchemas(member, map),
  ]);
  return map(Object.fromEntries(members)) as Node;
}

function withPattern(schema: JsonSchema): JsonSchema {
  if (schema['pattern'] === ID_PATTERN) return { ...schema, pattern: PORTABLE_ID_PATTERN };
  const { format } = schema;
  const pattern = typeof format === 'string' ? ownValue(FORMAT_PATTERNS, format) : undefined;
  return pattern === undefined ? schema : { ...schema, pattern };
}

function withoutClosing({ additionalProperties, ...schema }: JsonSchema): JsonSchema {
  const isClosed = additionalProperties === undefined || additionalProperties === false;
  return isClosed ? schema : { ...schema, additionalProperties };
}

function withOpenCodes({ enum: codes, ...schema }: JsonSchema): JsonSchema {
  if (codes === undefined) return schema;
  if (!Array.isArray(codes)) return { ...schema, enum: codes };
  const known = codes.filter((code) => code !== null);
  const type = known.length === codes.length ? 'string' : ['string', 'null'];
  return { type, 'x-extensible-enum': known, ...schema };
}
