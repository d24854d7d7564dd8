/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 uses it. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export type Properties = { readonly [name: string]: JsonSchema };

/** An object with exactly these properties; all are required except the `optional` ones. */
export const closed = (properties: Properties, optional: Properties = {}): JsonSchema => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
  additionalProperties: false,
});

export const arrayOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** A reference to a schema of `components.ts`, by name. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** The schema of one property, with its meaning and unit for readers of the OpenAPI documents. */
export const described = (schema: JsonSchema, description: string): JsonSchema => ({
  ...schema,
  description,
});

/** The same schema, or null. Extends one keyword of the schema, so that a wrong value causes only one fault. */
export const orNull = (schema: JsonSchema): JsonSchema =>
  Array.isArray(schema['enum'])
    ? { ...schema, enum: [...schema['enum'], null] }
    : { ...schema, type: [schema['type'], 'null'] };

export const text: JsonSchema = { type: 'string' };
/** Ids have no control characters, because some stores cannot store them, and logs should not contain them. */
export const ID_LENGTH_MAX = 256;
export const ID_PATTERN = '^[^\\p{Cc}\\p{Cs}]*$';
export const id: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: ID_LENGTH_MAX,
  pattern: ID_PATTERN,
};
export const number: JsonSchema = { type: 'number' };
export const integer: JsonSchema = { type: 'integer' };
export const boolean: JsonSchema = { type: 'boolean' };
export const onlyNull: JsonSchema = { type: 'null' };
export const url: JsonSchema = { type: 'string', format: 'uri' };
/** A code with those that this version knows. Others may appear (D12). */
export const known = (schema: JsonSchema, ...codes: readonly string[]): JsonSchema => ({
  ...schema,
  'x-extensible-enum': codes,
});

/** A code. New codes may appear, so only the form is checked (D12). */
export const code: JsonSchema = { type: 'string', pattern: '^[a-z][a-z0-9_-]*$' };
export const upperCaseCode: JsonSchema = { type: 'string', pattern: '^[A-Z][A-Z0-9_-]*$' };
