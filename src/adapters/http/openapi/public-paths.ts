import { type JsonSchema, ref } from '../schema/json-schema.js';
import { writtenMoment } from '../schema/moment-schemas.js';
import { newsParameters } from '../schema/news-parameters-schema.js';
import { answers, header, problems, retryAfter } from './operations.js';
import { commonHeaders, keyErrors, readErrors } from './public-responses.js';
import { streamPath } from './stream-path.js';

const pageHeaders: JsonSchema = {
  ...commonHeaders,
  ETag: header('A weak ETag, the same for every key.'),
  'Feed-Head': header(
    'The latest scored_at ever assigned. Send it as `since` in your next poll. Absent until the first publication.',
    writtenMoment,
  ),
  'Feed-Position': header(
    'The position of the feed that the page shows: an opaque token of at most 64 characters. In a walk over several pages, keep that of the first page.',
    { type: 'string', pattern: '^[A-Za-z0-9._~-]{1,64}$' },
  ),
};

const parameters = Object.keys(newsParameters['properties'] as object).map((name) => ({
  name,
  in: 'query',
  required: false,
  schema: ref(`NewsParameters/properties/${name}`),
}));

export const publicPaths: JsonSchema = {
  '/pm/v2/news': {
    get: {
      operationId: 'readNews',
      summary: 'Reads a page of the news feed, newest first.',
      description: 'Start without `cursor`. Then send each `next_cursor` as `cursor`, until it is null.',
      security: [{ bearer: [] }, { header: [] }, { query: [] }],
      parameters,
      responses: {
        ...answers(200, 'A page.', 'FeedPage', pageHeaders),
        304: { description: 'The page has not changed. Does not use quota.', headers: pageHeaders },
        ...problems(
          {
            400: 'A parameter is not valid, or the request is not valid HTTP.',
            ...keyErrors,
            ...readErrors,
            500: 'Internal error. Does not use quota.',
          },
          commonHeaders,
        ),
        ...problems(
          {
            429: 'A limit is used up.',
            503: 'The service or a dependency is unavailable. Does not use quota.',
          },
          { ...commonHeaders, ...retryAfter },
        ),
      },
    },
  },
  '/pm/v2/stream': streamPath,
  '/pm/v2/usage': {
    get: {
      operationId: 'readUsage',
      summary: 'Reads the plan, the limits and how much of them is used.',
      description: 'Does not use quota, and works when the quota is used up.',
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
      summary: 'Reads the age of the newest item and the health of the dependencies.',
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
