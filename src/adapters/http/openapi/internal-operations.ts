import { id, type JsonSchema } from '../schema/json-schema.js';
import { answers, problems, requestBody, retryAfter } from './operations.js';

export const operator = { security: [{ operatorToken: [] }] };

export const byId = { parameters: [{ name: 'id', in: 'path', required: true, schema: id }] };

const refused = { 401: 'No token, or a wrong one.', 403: 'Another role’s token.' };
export const badBody = { 400: 'The body is not valid.', 413: 'The body is too large.', 415: 'Not JSON.' };
const tooMany = { 429: 'Too many wrong tokens from this address.' };
const away = { 503: 'The database is away; try again.' };
export const unknown = { 404: 'There is no such thing.' };

/** What any authorised call may be answered instead. */
export const refusals = (statuses: { readonly [status: number]: string }): JsonSchema => ({
  ...problems({ ...refused, ...statuses, 500: 'The service made a mistake.' }),
  ...problems({ ...tooMany, ...away }, retryAfter),
});

export const actionOperation = (
  operationId: string,
  summary: string,
  body: string,
  answer: string,
): JsonSchema => ({
  ...operator,
  operationId,
  summary,
  ...requestBody(body, true),
  responses: {
    ...answers(200, 'As it is now.', answer),
    ...refusals({ ...badBody, ...unknown, 409: 'The rules refuse it; `code` says which.' }),
  },
});
