import type { Duration, Moment } from '../domain/moment.js';
import type { Clock, TestClock } from './ports/clock.js';

/** Moves the test clock forward. When it resolves, all work that became due is done (D30). */
export const advanceClock = (parts: {
  readonly testClock: TestClock;
  readonly clock: Clock;
  /** All jobs that depend on time, in order. */
  readonly jobs: readonly (() => Promise<unknown>)[];
}) =>
  async function advanceClock(by: Duration): Promise<Moment> {
    await parts.testClock.advance(by);
    for (const run of parts.jobs) await run();
    return parts.clock();
  };

export type AdvanceClock = ReturnType<typeof advanceClock>;
