import {
  arrayOf,
  closed,
  id,
  integer,
  type JsonSchema,
  number,
  orNull,
  type Properties,
  ref,
} from './json-schema.js';
import { writtenMoment } from './moment-schemas.js';
import { streamParameters, streamSubscribe, writtenPosition } from './stream-parameters-schema.js';

/** A message of a stream: every message has a type and the own position of the stream (D49). */
const message = (type: string, members: Properties, optional: Properties = {}): JsonSchema =>
  closed({ type: { const: type }, position: writtenPosition, ...members }, optional);

const oneOf = (...names: readonly string[]): JsonSchema => ({ oneOf: names.map(ref) });

/** The messages of a stream and of a batch (D49, D55, D58), and what a client sends. */
export const streamSchemas: Properties = {
  StreamParameters: streamParameters,
  StreamSubscribe: streamSubscribe,
  StreamReady: message('ready', {
    head: orNull(writtenMoment),
    heartbeat_seconds: number,
    streams: closed({ open: integer, allowed: integer }),
  }),
  StreamItem: message('item', { scored_at: writtenMoment, item: ref('FeedItem') }),
  StreamRetraction: message('retraction', { id }),
  StreamLive: message('live', {}),
  StreamHeartbeat: message('heartbeat', { head: orNull(writtenMoment), at: writtenMoment }),
  StreamSubscribed: message('subscribed', {}, { market_id: arrayOf(id) }),
  StreamClosing: message('closing', { problem: ref('Problem'), retry_after_seconds: orNull(number) }),
  StreamMessage: oneOf(
    ...['StreamReady', 'StreamItem', 'StreamRetraction', 'StreamLive'],
    ...['StreamHeartbeat', 'StreamSubscribed', 'StreamClosing'],
  ),
  StreamBatch: closed({
    messages: arrayOf(oneOf('StreamItem', 'StreamRetraction')),
    position: writtenPosition,
  }),
};
