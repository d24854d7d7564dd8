import { CLOCK_TOLERANCE } from '../../domain/clock-offset.js';

/**
 * The clock of the database, with the offset of the test clock of all instances (D5), which is 0 without one. It is a subquery,
 * because an index is searched only with a value that is computed once.
 */
export const DATABASE_NOW = `(
  select clock_timestamp() + coalesce((select offset_micros from test_clock), 0) * interval '1 microsecond'
)`;

/**
 * A parameter with the time of an instance, bounded by the clock of the database: no row is judged by a clock that is
 * further ahead (D5).
 */
export const BOUNDED_NOW = `least(?::timestamptz, ${DATABASE_NOW} + ${CLOCK_TOLERANCE} * interval '1 microsecond')`;
