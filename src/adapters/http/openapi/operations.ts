import { CODE_PATTERN, CODES_MAX } from '../../../domain/feed/filters/filter-values.js';
import { CODES_FORMAT, NAMES_FORMAT } from '../schema/filter-formats.js';
import { type JsonSchema, type Properties, ref } from '../schema/json-schema.js';

const json = (schema: JsonSchema) => ({ 'application/json': { schema } });

/** A response with a body of the named schema. */
export const answers = (status: number, description: string, schema: string, headers?: JsonSchema) => ({
  [status]: { description, content: json(ref(schema)), ...(headers && { headers }) },
});

/**
 * The parameters of a query, from the schema that reads it. One that may be repeated is a list: `market_id=a&market_id=b`. Codes
 * are a list too, in one text: `category=a,b`.
 */
export const queryParameters = (read: JsonSchema): readonly JsonSchema[] =>
  Object.entries(read['properties'] as Properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    ...(schema['type'] === 'array' && { style: 'form', explode: true }),
    ...(LIST_FORMATS.has(schema['format'])
      ? { style: 'form', explode: false, schema: codeList(schema) }
      : { schema }),
  }));

/** Texts that are lists, separated by commas. */
const LIST_FORMATS: ReadonlySet<unknown> = new Set([CODES_FORMAT, NAMES_FORMAT]);

const codeList = ({ examples = [] }: JsonSchema): JsonSchema => ({
  type: 'array',
  items: { type: 'string', pattern: CODE_PATTERN },
  minItems: 1,
  maxItems: CODES_MAX,
  examples: (examples as readonly string[]).map((example) => example.split(',')),
});

/** Responses with a problem document, by status. */
export const problems = (statuses: { readonly [status: number]: string }, headers?: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(statuses).map(([status, description]) => [
      status,
      {
        description,
        content: { 'application/problem+json': { schema: ref('Problem') } },
        ...(headers && { headers }),
      },
    ]),
  );

export const requestBody = (schema: string, required: boolean) => ({
  requestBody: { required, content: json(ref(schema)) },
});

export const header = (description: string, schema: JsonSchema = { type: 'string' }) => ({
  description,
  schema,
});

export const retryAfter: JsonSchema = {
  'Retry-After': header('Seconds to wait before the next request.', { type: 'integer', minimum: 1 }),
};
