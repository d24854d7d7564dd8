import type { ClockAllowance } from '../../domain/clock-offset.js';
import type { Duration, Moment } from '../../domain/moment.js';

/** The only source of the current time. A use case reads it once, before it decides (D5). */
export type Clock = () => Moment;

/** Compares the clock of this instance with that of the store, which all instances share (D5). */
export interface ClockCheck {
  /** What this instance may do now. It notices a jump of its own clock at once. */
  readonly allowance: () => ClockAllowance;
  /** A time of the `Clock` that was just read, at most as far ahead of the store as `CLOCK_TOLERANCE` allows. */
  readonly bound: (now: Moment) => Moment;
}

/** A clock that ticks with real time plus an offset that an operator can raise (`TEST_CLOCK=1`, D5). */
export interface TestClock {
  /** Resolves when every instance shows the new time. */
  advance(by: Duration): Promise<void>;
}
