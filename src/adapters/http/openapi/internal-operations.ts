import { id, type JsonSchema } from '../schema/json-schema.js';
import { ACCOUNT_ID, KEY_ID } from './examples/account-examples.js';
import { answers, problems, requestBody, retryAfter } from './operations.js';

export const operator = { security: [{ operatorToken: [] }] };

export const byId = (what: string, example: string) => ({
  parameters: [
    { name: 'id', in: 'path', required: true, description: `The id of ${what}.`, schema: id, example },
  ],
});

export const byAccount = byId('the account', ACCOUNT_ID);
export const byKey = byId('the key, not its value', KEY_ID);

const refused = { 401: 'The token is missing or wrong.', 403: 'The token belongs to the other role.' };
export const badBody = {
  400: 'The body is not valid.',
  413: 'The body is too large.',
  415: 'The Content-Type is not supported.',
};
const tooMany = { 429: 'Too many wrong tokens from this address.' };
const unavailable = { 503: 'The database is unavailable. Try again in a moment.' };
export const unknown = { 404: 'The resource does not exist.' };

/** The error responses of every call that needs a token. */
export const refusals = (statuses: { readonly [status: number]: string }): JsonSchema => ({
  ...problems({ ...refused, ...statuses, 500: 'Internal error.' }),
  ...problems({ ...tooMany, ...unavailable }, retryAfter),
});

/** What an action of an operator does, and the schemas of its body and its answer. */
type Action = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly body: string;
  readonly answer: string;
};

export const actionOperation = ({ body, answer, ...texts }: Action): JsonSchema => ({
  ...operator,
  ...texts,
  ...requestBody(body, true),
  responses: {
    ...answers(200, 'The current state.', answer),
    ...refusals({ ...badBody, ...unknown, 409: 'The change is refused. `code` says why.' }),
  },
});
