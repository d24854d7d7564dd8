import { type JsonSchema, ref } from '../schema/json-schema.js';

const json = (schema: JsonSchema) => ({ 'application/json': { schema } });

/** A response with a body of the named schema. */
export const answers = (status: number, description: string, schema: string, headers?: JsonSchema) => ({
  [status]: { description, content: json(ref(schema)), ...(headers && { headers }) },
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
