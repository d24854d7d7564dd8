import { POSITION_PATTERN } from '../../../domain/feed/position.js';
import { BATCH_LIMIT, BATCH_WAIT } from '../../../domain/feed/stream-batch.js';
import { FILTER_MARKETS_MAX } from '../../../domain/feed/stream-filter.js';
import { filterProperties, subscribeProperties } from './filter-schemas.js';
import { arrayOf, closed, described, id, type JsonSchema } from './json-schema.js';
import { readMoment } from './moment-schemas.js';

/** The format of positions that the service reads; `validator.ts` checks it with `readStreamPosition`. */
export const READ_POSITION_FORMAT = 'position';

/** The message for a text that is not such a position. */
export const POSITION_MESSAGE = 'must be a `position` or `Feed-Position` of this service, unchanged';

/** A position as the service writes it: an opaque token (D44). */
export const writtenPosition: JsonSchema = { type: 'string', pattern: POSITION_PATTERN };

const readPosition: JsonSchema = { type: 'string', format: READ_POSITION_FORMAT };

/** Filters by sub-market: an item passes if it holds any of them, and is sent without its others (D48). */
export const marketIds: JsonSchema = { ...arrayOf(id), minItems: 1, maxItems: FILTER_MARKETS_MAX };

/** The query parameters of `GET /pm/v2/stream` (D48, D58). `limit` and `wait` are validated as numbers. */
export const streamParameters: JsonSchema = closed(
  {},
  {
    after: {
      ...readPosition,
      description: 'Sends the changes after this position. Not together with `since`.',
    },
    since: {
      ...readMoment,
      description:
        'Sends the items whose scored_at is this time or later, oldest first, then the changes. Not together with `after`.',
    },
    market_id: {
      ...marketIds,
      description: `Sends only items with one of these sub-markets, without their others. Repeat it up to ${FILTER_MARKETS_MAX} times.`,
    },
    ...filterProperties,
    limit: {
      type: 'integer',
      ...BATCH_LIMIT,
      description: 'Only with `Accept: application/json`: the items and retractions of one batch.',
    },
    wait: {
      type: 'integer',
      ...BATCH_WAIT,
      description: 'Only with `Accept: application/json`: the seconds to wait for the first message.',
    },
  },
);

/** The only message that a client may send on a WebSocket (D55). Without filters: everything. */
export const streamSubscribe: JsonSchema = closed(
  { type: described({ const: 'subscribe' }, 'Replaces the filter of the stream.') },
  {
    market_id: described(
      { oneOf: [id, marketIds] },
      'Send only items with one of these sub-markets. Absent: any.',
    ),
    ...subscribeProperties,
  },
);
