import type { JsonSchema } from '../schema/json-schema.js';
import { changesParameters } from '../schema/parameter-schemas.js';
import { answers, problems, queryParameters, retryAfter } from './operations.js';
import { filtersHeader, keyHeaders, keyProblemHeaders, paidErrors } from './public-responses.js';
import { lastEventIds, POSITION_EXPIRED } from './stream-path.js';
import { testHeader } from './test-header.js';

const DESCRIPTION = [
  'Returns the next items and retractions after a position, as one batch of JSON. With `wait` the answer comes with the next change, or when the time is over.',
  '',
  'Send the `position` of each batch as `after` of the next one. Begin with the `Feed-Position` of a page. If `more` is true, the batch ended before the newest change.',
  'A batch uses one request of the quota. An empty batch that waited 5 s or longer uses none.',
  '',
  '`/pm/v2/stream` with `Accept: application/json` is the same call.',
].join('\n');

/** `GET /pm/v2/changes` (D58). */
export const changesPath: JsonSchema = {
  get: {
    tags: ['Live stream'],
    operationId: 'readChanges',
    summary: 'Reads the next changes of the feed, and can wait for them.',
    description: DESCRIPTION,
    security: [{ bearer: [] }, { header: [] }, { query: [] }],
    parameters: [...queryParameters(changesParameters), ...lastEventIds, testHeader],
    responses: {
      ...answers(200, 'A batch.', 'StreamBatch', { ...keyHeaders, ...filtersHeader }),
      ...problems(
        {
          400: 'A parameter or Last-Event-ID is not valid, or the request is not valid HTTP.',
          ...paidErrors,
          410: POSITION_EXPIRED,
        },
        keyProblemHeaders,
      ),
      ...problems(
        {
          429: 'A limit is used up.',
          503: 'The service or a dependency is unavailable, or too many streams are open.',
        },
        { ...keyProblemHeaders, ...retryAfter },
      ),
    },
  },
};
