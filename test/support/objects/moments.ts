import fc from 'fast-check';
import {
  epochSeconds,
  FIRST_MOMENT,
  fromEpochMillis,
  LAST_MOMENT,
  plus,
} from '../../../src/domain/moment.js';

const micros = () => fc.integer({ min: 0, max: 999_999 });

/** Any moment that the service supports. */
export const moments = fc
  .tuple(fc.integer({ min: epochSeconds(FIRST_MOMENT), max: epochSeconds(LAST_MOMENT) }), micros())
  .map(([seconds, micro]) => plus(fromEpochMillis(seconds * 1_000), micro));

/** Moments within two centuries, so that durations between them are exact. */
export const nearMoments = fc
  .tuple(fc.integer({ min: -1e9, max: 4e9 }), micros())
  .map(([seconds, micro]) => plus(fromEpochMillis(seconds * 1_000), micro));
