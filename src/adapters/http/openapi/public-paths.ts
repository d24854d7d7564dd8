import { type JsonSchema, ref } from '../schema/json-schema.js';
import { writtenMoment } from '../schema/moment-schemas.js';
import { newsParameters } from '../schema/news-parameters-schema.js';
import { answers, header, problems, retryAfter } from './operations.js';

/** On every answer of the public listener (D33, D36, D38). */
const everyAnswer: JsonSchema = {
  'X-Request-Id': header('Names this request in the log.'),
  'RateLimit-Policy': header('The policies that apply: name, quota `q`, window `w` in seconds.'),
  RateLimit: header('Where each policy stands: `r` requests remain, the window ends in `t` seconds.'),
  'X-RateLimit-Limit': header('Quota of the tightest policy.', { type: 'integer' }),
  'X-RateLimit-Remaining': header('What remains of it.', { type: 'integer' }),
  'X-RateLimit-Reset': header('When its window ends, in seconds since 1970.', { type: 'integer' }),
};

const page: JsonSchema = {
  ...everyAnswer,
  ETag: header('Weak; the same for every key.'),
  'Feed-Head': header(
    'The greatest scored_at ever given, over the whole feed: the next `since` of a poller. Absent while nothing was ever published.',
    writtenMoment,
  ),
};

const parameters = Object.keys(newsParameters['properties'] as object).map((name) => ({
  name,
  in: 'query',
  required: false,
  schema: ref(`NewsParameters/properties/${name}`),
}));

/** Of every route that a key opens. */
const ofKeys = {
  401: 'The key is missing, unknown or revoked.',
  402: 'The key or its subscription is on hold: not a price for this request.',
  403: 'The key lacks the scope events.read.',
};

/** Of every route that is only read. */
const ofReading = {
  405: 'Only GET, HEAD and OPTIONS.',
  414: 'The query string is longer than 4096 bytes.',
  431: 'The header is too large.',
};

export const publicPaths: JsonSchema = {
  '/pm/v2/news': {
    get: {
      operationId: 'readNews',
      summary: 'A page of the news feed, newest first.',
      description: 'Call without `cursor`, then with each `next_cursor`, until it is null.',
      security: [{ bearer: [] }, { header: [] }, { query: [] }],
      parameters,
      responses: {
        ...answers(200, 'A page.', 'FeedPage', page),
        304: { description: 'The caller has this page already. Costs no quota.', headers: page },
        ...problems(
          {
            400: 'A parameter is not valid, or the request is not HTTP.',
            ...ofKeys,
            ...ofReading,
            500: 'The service made a mistake. Costs no quota.',
          },
          everyAnswer,
        ),
        ...problems(
          { 429: 'A limit is used up.', 503: 'The service, or a part of it, is away. Costs no quota.' },
          { ...everyAnswer, ...retryAfter },
        ),
      },
    },
  },
  '/pm/v2/usage': {
    get: {
      operationId: 'readUsage',
      summary: 'Where the subscription behind a key stands: its limits, and what is used of them.',
      description: 'Costs no quota, and is answered also when none is left.',
      security: [{ bearer: [] }, { header: [] }, { query: [] }],
      responses: {
        ...answers(200, 'Plan and limits.', 'Usage', everyAnswer),
        ...problems(
          {
            400: 'The request is not HTTP.',
            ...ofKeys,
            ...ofReading,
            500: 'The service made a mistake.',
          },
          everyAnswer,
        ),
        ...problems(
          { 429: 'Too many requests without a good key.', 503: 'The service, or a part of it, is away.' },
          { ...everyAnswer, ...retryAfter },
        ),
      },
    },
  },
  '/status': {
    get: {
      operationId: 'readStatus',
      summary: 'How fresh the feed is, and how the parts of the service are doing.',
      security: [],
      responses: {
        ...answers(200, 'As it is now.', 'Status', everyAnswer),
        ...problems(
          {
            400: 'The request is not HTTP.',
            ...ofReading,
            500: 'The service made a mistake.',
          },
          everyAnswer,
        ),
        ...problems({ 503: 'Too many requests are in hand.' }, { ...everyAnswer, ...retryAfter }),
      },
    },
  },
  '/webhooks/stripe': {
    post: {
      operationId: 'receiveWebhook',
      summary: 'Where the payment processor says what happened; answered once that is stored and applied.',
      security: [],
      parameters: [{ name: 'Stripe-Signature', in: 'header', required: true, schema: { type: 'string' } }],
      requestBody: { required: true, content: { 'application/json': {} } },
      responses: {
        ...answers(200, 'It is stored.', 'WebhookReceipt', everyAnswer),
        ...problems(
          {
            400: 'The signature is not valid, or the request is not HTTP.',
            404: 'No secret is set: nobody could sign.',
            405: 'Only POST.',
            413: 'The body is larger than 256 KB.',
            414: 'The query string is longer than 4096 bytes.',
            431: 'The header is too large.',
            500: 'The service made a mistake.',
          },
          everyAnswer,
        ),
        ...problems({ 503: 'The service, or a part of it, is away.' }, { ...everyAnswer, ...retryAfter }),
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'readOpenApi',
      summary: 'This document.',
      security: [],
      responses: {
        200: { description: 'OpenAPI 3.1.', headers: everyAnswer, content: { 'application/json': {} } },
        304: { description: 'The caller has it already.', headers: everyAnswer },
        ...problems(
          {
            400: 'The request is not HTTP.',
            ...ofReading,
            500: 'The service made a mistake.',
          },
          everyAnswer,
        ),
        ...problems({ 503: 'Too many requests are in hand.' }, { ...everyAnswer, ...retryAfter }),
      },
    },
  },
};
