import { POSITION_PATTERN } from '../../../domain/feed/position.js';
import type { JsonSchema } from './json-schema.js';

/** The format of positions, as `domain/feed/stream-position.ts` reads them. */
export const READ_POSITION_FORMAT = 'position';

/** The message for a text that is not such a position. */
export const POSITION_MESSAGE = 'must be a `position` or `Feed-Position` of this service, unchanged';

/** The format of `as_of`: a position of the log, or a date-time. */
export const AS_OF_FORMAT = 'position-or-date-time';
export const AS_OF_MESSAGE = 'must be a `Feed-Position` of this service, unchanged, or an RFC 3339 date-time';
export const IN_REPLAY_MESSAGE =
  'must not be a position inside a replay: use the `Feed-Position` of a page, or a position after `caught_up`';

/** A position as the service writes it: an opaque token (D44). */
export const writtenPosition: JsonSchema = { type: 'string', pattern: POSITION_PATTERN };

export const readPosition: JsonSchema = { type: 'string', format: READ_POSITION_FORMAT };
