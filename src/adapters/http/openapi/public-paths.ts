import type { JsonSchema } from '../schema/json-schema.js';
import { writtenMoment } from '../schema/moment-schemas.js';
import { newsParameters } from '../schema/parameter-schemas.js';
import { writtenPosition } from '../schema/position-schemas.js';
import { changesPath } from './changes-path.js';
import { historyPath } from './history-path.js';
import { marketsPath } from './markets-path.js';
import { answers, header, problems, queryParameters, retryAfter } from './operations.js';
import { filtersHeader, keyErrors, keyHeaders, keyProblemHeaders, readErrors } from './public-responses.js';
import { servicePaths } from './service-paths.js';
import { streamPath } from './stream-path.js';
import { testHeader } from './test-header.js';
import { keyPath, usageHistoryPath, usagePath } from './usage-path.js';

const pageHeaders: JsonSchema = {
  ...keyHeaders,
  ...filtersHeader,
  ETag: header('A weak ETag, the same for every key.'),
  'Feed-Head': header(
    'The latest scored_at ever assigned. Send it as `since` in your next poll. Absent until the first publication.',
    writtenMoment,
  ),
  'Feed-Position': header(
    'The position of the feed that the page shows: an opaque token of at most 64 characters. In a walk over several pages, keep that of the first page.',
    writtenPosition,
  ),
  'Feed-As-Of': header(
    'Only with `as_of`: the position at which the page was read. Treat an answer without it as 503: an older instance ignores `as_of`.',
    writtenPosition,
  ),
};

const parameters = [...queryParameters(newsParameters), testHeader];

export const publicPaths: JsonSchema = {
  '/pm/v2/news': {
    get: {
      tags: ['Feed'],
      operationId: 'readNews',
      summary: 'Reads a page of the news feed, newest first.',
      description: 'Start without `cursor`. Then send each `next_cursor` as `cursor`, until it is null.',
      security: [{ bearer: [] }, { header: [] }, { query: [] }],
      parameters,
      responses: {
        ...answers(200, 'A page.', 'FeedPage', pageHeaders),
        304: {
          description:
            'The page has not changed. Does not use quota if the page was in memory, as recent pages are.',
          headers: pageHeaders,
        },
        ...problems(
          {
            400: 'A parameter is not valid, or the request is not valid HTTP.',
            ...keyErrors,
            ...readErrors,
            500: 'Internal error. Does not use quota.',
          },
          keyProblemHeaders,
        ),
        ...problems(
          {
            410: 'Only with `as_of`: `before_history` for a change before the history, `position_expired` for a position of another history.',
          },
          keyProblemHeaders,
        ),
        ...problems(
          {
            429: 'A limit is used up, or with `as_of`: two reads of the past are in progress (`too_many_reads`).',
            503: 'The service or a dependency is unavailable. Does not use quota.',
          },
          { ...keyProblemHeaders, ...retryAfter },
        ),
      },
    },
  },
  '/pm/v2/stream': streamPath,
  '/pm/v2/changes': changesPath,
  '/pm/v2/history': historyPath,
  '/pm/v2/markets': marketsPath,
  '/pm/v2/key': keyPath,
  '/pm/v2/usage': usagePath,
  '/pm/v2/usage/history': usageHistoryPath,
  ...servicePaths,
};
