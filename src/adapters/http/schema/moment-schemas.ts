import { MOMENT_PATTERN } from '../../../domain/moment.js';
import type { JsonSchema } from './json-schema.js';

/** A time as the service writes it: UTC, six digits (D3). */
export const writtenMoment: JsonSchema = { type: 'string', format: 'date-time', pattern: MOMENT_PATTERN };

/** The format of times that the service reads; `validator.ts` checks it with `parseMoment`. */
export const READ_MOMENT_FORMAT = 'moment';

/** The message for a text that is not such a time. */
export const MOMENT_MESSAGE = 'must be an RFC 3339 date-time, such as 2026-01-31T12:00:00.000000Z';

/** A time as the service reads it: RFC 3339, or without an offset, or a plain date (D4). */
export const readMoment: JsonSchema = {
  type: 'string',
  format: READ_MOMENT_FORMAT,
  examples: ['2026-01-31T12:00:00.000000Z', '2026-01-31'],
};
