import { type JsonSchema, ref } from '../schema/json-schema.js';
import { streamParameters, streamSubscribe } from '../schema/parameter-schemas.js';
import { writtenPosition } from '../schema/position-schemas.js';
import { SAMPLE_POSITION } from './examples/feed-examples.js';
import { header, problems, queryParameters, retryAfter } from './operations.js';
import { filtersHeader, keyHeaders, keyProblemHeaders, paidErrors } from './public-responses.js';
import { testHeader } from './test-header.js';

const parameters = queryParameters(streamParameters);

const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description:
    'A position, as an `EventSource` sends it. If it is not empty, it is read instead of `after` and `since`.',
  schema: writtenPosition,
  example: SAMPLE_POSITION,
};

const lastEventIdParameter = {
  name: 'lastEventId',
  in: 'query',
  required: false,
  description:
    'The same as the header `Last-Event-ID`, for replacements of `EventSource` that cannot set headers. It is read if that header is missing or empty.',
  schema: writtenPosition,
  example: SAMPLE_POSITION,
};

/** The parameters that replace `after` and `since` (D48). */
export const lastEventIds: readonly JsonSchema[] = [lastEventIdParameter, lastEventId];

const DESCRIPTION = [
  'Sends the changes of the feed as they happen, in one of three forms.',
  '',
  '- Server-Sent Events: `event` is the `type` of the message, `id` its `position`, and `data` the message as JSON.',
  '- A WebSocket, if the request asks for this upgrade: each text frame is one message. A client may send the message in `x-websocket`. The close code of a problem with status 4xx is 4000 plus the status.',
  '- With `Accept: application/json` one batch, as `/pm/v2/changes` returns it.',
  '',
  'The messages are `StreamMessage`. To resume, send the `position` of the last complete message as `after`.',
  'Opening a stream uses one request of the quota. An empty batch that waited 5 s or longer uses none.',
].join('\n');

export const POSITION_EXPIRED =
  '`position_expired`: the changes after the position are no longer available. Read all pages of `/pm/v2/news`, then continue after the `Feed-Position` of the first page.';

/** `GET /pm/v2/stream` (D47). */
export const streamPath: JsonSchema = {
  get: {
    tags: ['Live stream'],
    operationId: 'openStream',
    summary: 'Streams the changes of the feed.',
    description: DESCRIPTION,
    security: [{ bearer: [] }, { header: [] }, { query: [] }],
    // OpenAPI has no word for the messages of a WebSocket.
    'x-websocket': { receives: streamSubscribe, sends: ref('StreamMessage') },
    parameters: [...parameters, ...lastEventIds, testHeader],
    responses: {
      101: {
        description: 'A WebSocket with one `StreamMessage` in each text frame.',
        headers: { ...keyHeaders, ...filtersHeader },
      },
      200: {
        description: 'Server-Sent Events with one `StreamMessage` each, or a batch.',
        headers: { ...keyHeaders, ...filtersHeader },
        content: {
          // The schema is that of the data of each event.
          'text/event-stream': { schema: ref('StreamMessage') },
          'application/json': { schema: ref('StreamBatch') },
        },
      },
      ...problems(
        {
          400: 'A parameter, Last-Event-ID or the handshake is not valid, or the request is not valid HTTP.',
          ...paidErrors,
          410: POSITION_EXPIRED,
        },
        keyProblemHeaders,
      ),
      ...problems(
        { 426: 'The service supports version 13 of WebSocket only.' },
        { ...keyProblemHeaders, 'Sec-WebSocket-Version': header('The supported version.') },
      ),
      ...problems(
        {
          429: 'A limit is used up, or all streams of the plan are open.',
          503: 'The service or a dependency is unavailable, or too many streams are open. Does not use quota.',
        },
        { ...keyProblemHeaders, ...retryAfter },
      ),
    },
  },
};
