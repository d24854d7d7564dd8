import { type JsonSchema, ref } from '../schema/json-schema.js';
import { streamParameters } from '../schema/stream-parameters-schema.js';
import { header, problems, retryAfter } from './operations.js';
import { commonHeaders, keyErrors, readErrors } from './public-responses.js';

/** A parameter that may be repeated is a list in OpenAPI: `market_id=a&market_id=b`. */
const parameters = Object.keys(streamParameters['properties'] as object).map((name) => ({
  name,
  in: 'query',
  required: false,
  ...(name === 'market_id' && { style: 'form', explode: true }),
  schema: ref(`StreamParameters/properties/${name}`),
}));

const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description:
    'A position, as an `EventSource` sends it. If it is not empty, it is read instead of `after` and `since`.',
  schema: ref('StreamParameters/properties/after'),
};

const DESCRIPTION = [
  'Sends the changes of the feed as they happen, in one of three forms.',
  '',
  '- Server-Sent Events: `event` is the `type` of the message, `id` its `position`, and `data` the message as JSON.',
  '- A WebSocket, if the request asks for this upgrade: each text frame is one message. A client may send `StreamSubscribe`. The close code of a problem with status 4xx is 4000 plus the status.',
  '- With `Accept: application/json` one batch: the next items and retractions after the position.',
  '',
  'The messages are `StreamMessage`. To resume, send the `position` of the last complete message as `after`.',
  'Opening a stream uses one request of the quota. An empty batch that waited 5 s or longer uses none.',
].join('\n');

/** `GET /pm/v2/stream` (D47). */
export const streamPath: JsonSchema = {
  get: {
    operationId: 'openStream',
    summary: 'Streams the changes of the feed.',
    description: DESCRIPTION,
    security: [{ bearer: [] }, { header: [] }, { query: [] }],
    parameters: [...parameters, lastEventId],
    responses: {
      101: {
        description: 'A WebSocket with one `StreamMessage` in each text frame.',
        headers: commonHeaders,
      },
      200: {
        description: 'Server-Sent Events with one `StreamMessage` each, or a batch.',
        headers: commonHeaders,
        content: {
          'text/event-stream': { schema: { type: 'string' } },
          'application/json': { schema: ref('StreamBatch') },
        },
      },
      ...problems(
        {
          400: 'A parameter, Last-Event-ID or the handshake is not valid, or the request is not valid HTTP.',
          ...keyErrors,
          410: 'The changes after the position are no longer available. Read all pages of `/pm/v2/news`, then stream after the `Feed-Position` of the first page.',
          ...readErrors,
          405: 'Only GET and OPTIONS are allowed.',
          500: 'Internal error. Does not use quota.',
        },
        commonHeaders,
      ),
      ...problems(
        { 426: 'The service supports version 13 of WebSocket only.' },
        { ...commonHeaders, 'Sec-WebSocket-Version': header('The supported version.') },
      ),
      ...problems(
        {
          429: 'A limit is used up, or all streams of the plan are open.',
          503: 'The service or a dependency is unavailable, or too many streams are open. Does not use quota.',
        },
        { ...commonHeaders, ...retryAfter },
      ),
    },
  },
};
