import type { Duration, Moment } from '../domain/moment.js';
import type { Clock, TestClock } from './ports/clock.js';

/** Moves the test clock; what falls due on the way has been done when it answers (D30). */
export const advanceClock = (parts: {
  readonly testClock: TestClock;
  readonly clock: Clock;
  /** All that time brings about, in order. */
  readonly works: readonly (() => Promise<unknown>)[];
}) =>
  async function advanceClock(by: Duration): Promise<Moment> {
    await parts.testClock.advance(by);
    for (const work of parts.works) await work();
    return parts.clock();
  };

export type AdvanceClock = ReturnType<typeof advanceClock>;
