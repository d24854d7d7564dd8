import type { JsonSchema } from '../schema/json-schema.js';
import { marketsParameters } from '../schema/parameter-schemas.js';
import { answers, problems, queryParameters, retryAfter } from './operations.js';
import { keyHeaders, keyProblemHeaders, paidErrors } from './public-responses.js';

const parameters = queryParameters(marketsParameters);

const DESCRIPTION = [
  'Returns the markets that the items of the feed have: main markets and sub-markets. A market without an item is not listed.',
  '',
  'With `ref` it returns the markets that these references mean, and in `unknown` the references that none has. A URL is compared without its scheme, `www.`, a locale, a slash at the end, `utm_*`, `via` and `ref`. A reference that fits several markets means all of them.',
  '',
  'The directory follows the feed within a second, later after many items at once.',
].join('\n');

/** `GET /pm/v2/markets` (D63). */
export const marketsPath: JsonSchema = {
  get: {
    tags: ['Feed'],
    operationId: 'findMarkets',
    summary: 'Lists the markets of the feed, or finds some of them.',
    description: DESCRIPTION,
    security: [{ bearer: [] }, { header: [] }, { query: [] }],
    parameters,
    responses: {
      ...answers(200, 'A page.', 'MarketPage', keyHeaders),
      ...problems(
        {
          400: 'A parameter is not valid, or the request is not valid HTTP.',
          ...paidErrors,
        },
        keyProblemHeaders,
      ),
      ...problems(
        {
          429: 'A limit is used up.',
          503: 'The service or a dependency is unavailable, or the directory is being built for the first time.',
        },
        { ...keyProblemHeaders, ...retryAfter },
      ),
    },
  },
};
