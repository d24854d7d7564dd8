import { POSITION_PATTERN } from '../../../domain/feed/position.js';
import type { JsonSchema } from './json-schema.js';

/** The format of positions, as `domain/feed/stream-position.ts` reads them. */
export const READ_POSITION_FORMAT = 'position';

/** The message for a text that is not such a position. */
export const POSITION_MESSAGE = 'must be a `position` or `Feed-Position` of this service, unchanged';

/** A position as the service writes it: an opaque token (D44). */
export const writtenPosition: JsonSchema = { type: 'string', pattern: POSITION_PATTERN };

export const readPosition: JsonSchema = { type: 'string', format: READ_POSITION_FORMAT };
