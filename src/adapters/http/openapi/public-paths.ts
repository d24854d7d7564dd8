import { type JsonSchema, ref } from '../schema/json-schema.js';
import { writtenMoment } from '../schema/moment-schemas.js';
import { newsParameters } from '../schema/news-parameters-schema.js';
import { answers, header, problems, retryAfter } from './operations.js';

/** The headers of every response of the public listener (D33, D36, D38). */
const commonHeaders: JsonSchema = {
  'X-Request-Id': header('Identifies this request in the log.'),
  'RateLimit-Policy': header('The policies: name, quota `q`, window `w` in seconds.'),
  RateLimit: header('The state of each policy: `r` requests remain, the window ends in `t` seconds.'),
  'X-RateLimit-Limit': header('Quota of the tightest policy.', { type: 'integer' }),
  'X-RateLimit-Remaining': header('Requests that remain of this quota.', { type: 'integer' }),
  'X-RateLimit-Reset': header('End of its window, in Unix seconds.', { type: 'integer' }),
};

const pageHeaders: JsonSchema = {
  ...commonHeaders,
  ETag: header('Weak; the same for every key.'),
  'Feed-Head': header(
    'The greatest scored_at ever assigned: the next `since` of a poller. Absent until the first publication.',
    writtenMoment,
  ),
};

const parameters = Object.keys(newsParameters['properties'] as object).map((name) => ({
  name,
  in: 'query',
  required: false,
  schema: ref(`NewsParameters/properties/${name}`),
}));

/** The errors of every route that needs a key. */
const keyErrors = {
  401: 'The key is missing, unknown or revoked.',
  402: 'The key or its subscription is suspended. This is not a price for the request.',
  403: 'The key lacks the scope events.read.',
};

/** The errors of every read-only route. */
const readErrors = {
  405: 'Only GET, HEAD and OPTIONS are allowed.',
  414: 'The query string is longer than 4096 bytes.',
  431: 'The request header is too large.',
};

export const publicPaths: JsonSchema = {
  '/pm/v2/news': {
    get: {
      operationId: 'readNews',
      summary: 'Reads a page of the news feed, newest first.',
      description: 'Call without `cursor`, then pass each `next_cursor` as `cursor`, until it is null.',
      security: [{ bearer: [] }, { header: [] }, { query: [] }],
      parameters,
      responses: {
        ...answers(200, 'A page.', 'FeedPage', pageHeaders),
        304: { description: 'The page has not changed. Costs no quota.', headers: pageHeaders },
        ...problems(
          {
            400: 'A parameter is not valid, or the request is not valid HTTP.',
            ...keyErrors,
            ...readErrors,
            500: 'Internal error. Costs no quota.',
          },
          commonHeaders,
        ),
        ...problems(
          {
            429: 'A limit is exceeded.',
            503: 'The service or a dependency is unavailable. Costs no quota.',
          },
          { ...commonHeaders, ...retryAfter },
        ),
      },
    },
  },
  '/pm/v2/usage': {
    get: {
      operationId: 'readUsage',
      summary: 'Reads the plan, limits and used quota of the subscription.',
      description: 'Costs no quota, and works when the quota is exhausted.',
      security: [{ bearer: [] }, { header: [] }, { query: [] }],
      responses: {
        ...answers(200, 'Plan and limits.', 'Usage', commonHeaders),
        ...problems(
          {
            400: 'The request is not valid HTTP.',
            ...keyErrors,
            ...readErrors,
            500: 'Internal error.',
          },
          commonHeaders,
        ),
        ...problems(
          {
            429: 'Too many requests without a valid key.',
            503: 'The service or a dependency is unavailable.',
          },
          { ...commonHeaders, ...retryAfter },
        ),
      },
    },
  },
  '/status': {
    get: {
      operationId: 'readStatus',
      summary: 'Reads the freshness of the feed and the health of the dependencies.',
      security: [],
      responses: {
        ...answers(200, 'The current status.', 'Status', commonHeaders),
        ...problems(
          {
            400: 'The request is not valid HTTP.',
            ...readErrors,
            500: 'Internal error.',
          },
          commonHeaders,
        ),
        ...problems({ 503: 'Too many requests are in progress.' }, { ...commonHeaders, ...retryAfter }),
      },
    },
  },
  '/webhooks/stripe': {
    post: {
      operationId: 'receiveWebhook',
      summary: 'Receives an event of the payment processor. Responds once it is stored and applied.',
      security: [],
      parameters: [{ name: 'Stripe-Signature', in: 'header', required: true, schema: { type: 'string' } }],
      requestBody: { required: true, content: { 'application/json': {} } },
      responses: {
        ...answers(200, 'The event is stored.', 'WebhookReceipt', commonHeaders),
        ...problems(
          {
            400: 'The signature is not valid, or the request is not valid HTTP.',
            404: 'No webhook secret is set.',
            405: 'Only POST is allowed.',
            413: 'The body is larger than 256 KB.',
            414: 'The query string is longer than 4096 bytes.',
            431: 'The request header is too large.',
            500: 'Internal error.',
          },
          commonHeaders,
        ),
        ...problems(
          { 503: 'The service or a dependency is unavailable.' },
          { ...commonHeaders, ...retryAfter },
        ),
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'readOpenApi',
      summary: 'Returns this document.',
      security: [],
      responses: {
        200: { description: 'OpenAPI 3.1.', headers: commonHeaders, content: { 'application/json': {} } },
        304: { description: 'The document has not changed.', headers: commonHeaders },
        ...problems(
          {
            400: 'The request is not valid HTTP.',
            ...readErrors,
            500: 'Internal error.',
          },
          commonHeaders,
        ),
        ...problems({ 503: 'Too many requests are in progress.' }, { ...commonHeaders, ...retryAfter }),
      },
    },
  },
};
