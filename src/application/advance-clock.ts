import type { Duration, Moment } from '../domain/moment.js';
import type { Clock, TestClock } from './ports/clock.js';
import type { RunDueWork } from './run-due-work.js';

/** Moves the test clock; what falls due on the way has been done when it answers (D30). */
export const advanceClock =
  (parts: { readonly testClock: TestClock; readonly clock: Clock; readonly runDueWork: RunDueWork }) =>
  async (by: Duration): Promise<Moment> => {
    await parts.testClock.advance(by);
    await parts.runDueWork();
    return parts.clock();
  };

export type AdvanceClock = ReturnType<typeof advanceClock>;
