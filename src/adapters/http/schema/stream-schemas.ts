import {
  arrayOf,
  boolean,
  closed,
  described,
  id,
  integer,
  type JsonSchema,
  number,
  orNull,
  type Properties,
  ref,
  text,
} from './json-schema.js';
import { writtenMoment } from './moment-schemas.js';
import { repeatedFilters, streamParameters, streamSubscribe } from './parameter-schemas.js';
import { writtenPosition } from './position-schemas.js';

const position = described(
  writtenPosition,
  'The position of your stream: everything up to it was sent, or did not pass the filter. Send it as `after`.',
);
const knownAt = described(
  orNull(writtenMoment),
  'When the change became known, as in the history: it never falls from one change to the next. Null in a replay of an item whose last change the service has no time of.',
);
const head = described(
  orNull(writtenMoment),
  'The latest scored_at ever assigned. Null while the feed is empty.',
);

const ignored = described(
  arrayOf(text),
  'The names of the parameters of your request that the stream does not know, and has ignored, as in the header `Ignored-Parameters`. Absent if there are none.',
);

const filters = described(
  arrayOf(text),
  'The names of the filters of your request that were honoured, sorted, as in the header `Feed-Filters`. Earlier versions of the service ignore filters that they do not know. Absent if there are none.',
);

/** A message of a stream: every message has a type and the own position of the stream (D49). */
const message = (
  type: string,
  description: string,
  members: Properties,
  optional: Properties = {},
): JsonSchema => ({
  ...closed(
    { type: described({ type: 'string', const: type }, 'The kind of message.'), position, ...members },
    optional,
  ),
  description,
});

/** A message of one of these kinds, which its `type` names. */
const oneOf = (...names: readonly (keyof typeof messages)[]): JsonSchema => ({
  oneOf: names.map(ref),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(names.map((name) => [typeOf(name), ref(name)['$ref']])),
  },
});

const messages = {
  StreamReady: message(
    'ready',
    'The first message of a stream.',
    {
      head,
      heartbeat_seconds: described(number, 'The interval of heartbeats, in seconds.'),
      streams: described(
        closed({
          open: described(integer, 'The open streams of the subscription, with this one.'),
          allowed: described(integer, 'The streams that the plan allows at the same time.'),
        }),
        'How many streams the subscription has.',
      ),
    },
    { ignored, filters },
  ),
  StreamItem: message('item', 'An item was published or replaced.', {
    known_at: knownAt,
    scored_at: described(writtenMoment, 'The time by which the feed orders the item, in UTC.'),
    item: described(ref('FeedItem'), 'The item, exactly as on a page.'),
  }),
  StreamRetraction: message('retraction', 'An item was retracted, or no longer passes the filter.', {
    known_at: knownAt,
    id: described(id, 'The id of the news event. Ignore an id that you do not have.'),
  }),
  StreamLive: message('live', 'All changes since your position were sent.', {}),
  StreamHeartbeat: message('heartbeat', 'Sent in each interval. Without it, the connection is dead.', {
    head,
    at: described(writtenMoment, 'The time of the service, in UTC.'),
  }),
  StreamSubscribed: message(
    'subscribed',
    'The answer to `subscribe`. The new filter applies after its position.',
    {},
    {
      news_id: described(id, 'The news event of the filter. Absent: any.'),
      market_id: described(arrayOf(id), 'The sub-markets of the filter. Absent: any.'),
      ...repeatedFilters,
    },
  ),
  StreamClosing: message('closing', 'The last message, if the service ends the stream.', {
    problem: described(ref('Problem'), 'Why the stream ends.'),
    retry_after_seconds: described(
      orNull(number),
      'Wait this long, in seconds, before you reconnect. Null: do not reconnect.',
    ),
  }),
} as const satisfies Properties;

const typeOf = (name: keyof typeof messages) =>
  (messages[name]['properties'] as Properties)['type']?.['const'] as string;

/** The messages of a stream and of a batch (D49, D55, D58), and what a client sends. */
export const streamSchemas: Properties = {
  StreamParameters: streamParameters,
  StreamSubscribe: streamSubscribe,
  ...messages,
  StreamMessage: oneOf(
    'StreamReady',
    'StreamItem',
    'StreamRetraction',
    'StreamLive',
    'StreamHeartbeat',
    'StreamSubscribed',
    'StreamClosing',
  ),
  StreamBatch: closed(
    {
      messages: described(
        arrayOf(oneOf('StreamItem', 'StreamRetraction')),
        'The changes after the position, in their order.',
      ),
      position: described(writtenPosition, 'Send it as `after` to get the next batch.'),
    },
    {
      more: described(
        boolean,
        'Whether there can be further changes already: then request the next batch at once, also if this one is empty. Earlier versions of the service do not send it.',
      ),
      ignored,
      filters,
    },
  ),
};
