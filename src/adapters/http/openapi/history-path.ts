import { type JsonSchema, ref } from '../schema/json-schema.js';
import { historyParameters } from '../schema/parameter-schemas.js';
import { answers, problems, queryParameters, retryAfter } from './operations.js';
import { filtersHeader, keyHeaders, keyProblemHeaders, paidErrors } from './public-responses.js';
import { testHeader } from './test-header.js';

const parameters = [...queryParameters(historyParameters), testHeader];

const DESCRIPTION = [
  'Returns every change of the feed with the version of the item that it brought, oldest first.',
  'Without `after` and `since` it begins with the first change of the history.',
  '',
  '- As JSON in pages: send `position` as `after`, until `complete` is true. A page can be empty.',
  '- With `Accept: application/x-ndjson` the whole range, one `HistoryChange` in each line. With a filter that passes few changes, some lines are a `HistoryProgress`. The last line is a `HistoryComplete`, or a `HistoryPaused` if the response ends early. After a lost connection, or without such a last line, continue after the `position` of the last line that has arrived as a whole. A subscription has one such response at a time.',
  '',
  'One request of the quota is used for every 500 changes that are read, at least one.',
].join('\n');

const [{ '200': page }, lines] = [
  answers(200, 'A page, or lines.', 'HistoryPage', { ...keyHeaders, ...filtersHeader }),
  {
    'application/x-ndjson': {
      schema: { oneOf: ['HistoryChange', 'HistoryProgress', 'HistoryComplete', 'HistoryPaused'].map(ref) },
    },
  },
];

/** `GET /pm/v2/history` (D61). */
export const historyPath: JsonSchema = {
  get: {
    tags: ['Feed'],
    operationId: 'readHistory',
    summary: 'Reads the history of the feed.',
    description: DESCRIPTION,
    security: [{ bearer: [] }, { header: [] }, { query: [] }],
    parameters,
    responses: {
      200: { ...page, content: { ...page?.content, ...lines } },
      ...problems(
        {
          400: 'A parameter is not valid, or the request is not valid HTTP.',
          ...paidErrors,
          410: '`before_history`: the history begins later. `position_expired`: the position is one of another history.',
        },
        keyProblemHeaders,
      ),
      ...problems(
        {
          429: 'A limit is used up, or the subscription has an open export (`too_many_reads`).',
          503: 'The service or a dependency is unavailable, or four exports are open.',
        },
        { ...keyProblemHeaders, ...retryAfter },
      ),
    },
  },
};
