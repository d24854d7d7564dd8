import { type JsonSchema, ref } from '../schema/json-schema.js';
import { usageHistoryParameters } from '../schema/parameter-schemas.js';
import { answers, problems, queryParameters, retryAfter } from './operations.js';
import { keyErrors, keyHeaders, keyProblemHeaders, paidErrors, readErrors } from './public-responses.js';

const security = [{ bearer: [] }, { header: [] }, { query: [] }];

/** A call that takes no permit. */
const freeCall = (operation: JsonSchema, answer: string, schema: string): JsonSchema => ({
  get: {
    tags: ['Account'],
    ...operation,
    description:
      'Does not use quota, and works when the quota is used up. At most 600 calls a minute, all such calls together.',
    security,
    responses: {
      ...answers(200, answer, schema, keyHeaders),
      ...problems(
        {
          400: 'The request is not valid HTTP.',
          ...keyErrors,
          ...readErrors,
          500: 'Internal error.',
        },
        keyProblemHeaders,
      ),
      ...problems(
        {
          429: 'Too many requests without a valid key, or too many calls that use no quota (`free_calls`).',
          503: 'The service or a dependency is unavailable.',
        },
        { ...keyProblemHeaders, ...retryAfter },
      ),
    },
  },
});

/** `GET /pm/v2/usage` (contract section 5). */
export const usagePath: JsonSchema = freeCall(
  { operationId: 'readUsage', summary: 'Reads the plan, the limits and how much of them is used.' },
  'Plan and limits.',
  'Usage',
);

/** `GET /pm/v2/key` (D72). */
export const keyPath: JsonSchema = freeCall(
  { operationId: 'readOwnKey', summary: 'Reads what the owner of the key has set for it.' },
  'The key that was sent.',
  'OwnKey',
);

const HISTORY = [
  'Returns the requests of the last 30 days with all keys of the account, by hour, key and class of the answer. Hours without requests are left out.',
  '',
  'A request that was free because nothing had changed counts as `3xx`. The counts of the last seconds can be missing.',
].join('\n');

/** `GET /pm/v2/usage/history` (D74). */
export const usageHistoryPath: JsonSchema = {
  get: {
    tags: ['Account'],
    operationId: 'readUsageHistory',
    summary: 'Reads the requests of each hour of the last 30 days.',
    description: HISTORY,
    security,
    parameters: queryParameters(usageHistoryParameters),
    responses: {
      200: {
        description: 'The hours, oldest first.',
        content: {
          'application/json': { schema: ref('UsageHistory') },
          'text/csv': { schema: { type: 'string' } },
        },
        headers: keyHeaders,
      },
      ...problems(
        { 400: 'A parameter is not valid, or the request is not valid HTTP.', ...paidErrors },
        keyProblemHeaders,
      ),
      ...problems(
        { 429: 'A limit is used up.', 503: 'The service or a dependency is unavailable.' },
        { ...keyProblemHeaders, ...retryAfter },
      ),
    },
  },
};
