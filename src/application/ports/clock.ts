import type { Duration, Moment } from '../../domain/moment.js';

/** The only source of the current time. A use case reads it once, before it decides (D5). */
export type Clock = () => Moment;

/** A clock that ticks with real time plus an offset that an operator can raise (`TEST_CLOCK=1`, D5). */
export interface TestClock {
  /** Resolves when every instance shows the new time. */
  advance(by: Duration): Promise<void>;
}
