import type { TestClock } from '../../application/ports/clock.js';
import { type Duration, fromEpochMillis, type Moment, plus } from '../../domain/moment.js';

let millis = 0;
let moment = fromEpochMillis(millis);

/** Formats the time at most once a millisecond, for all callers. */
export const systemClock = (): Moment => {
  const now = Date.now();
  if (now !== millis) {
    millis = now;
    moment = fromEpochMillis(now);
  }
  return moment;
};

/** The system clock plus an offset of this process (`TEST_CLOCK=1`, D5). */
export class ShiftedClock implements TestClock {
  #offset: Duration = 0;

  readonly now = (): Moment => plus(systemClock(), this.#offset);

  async advance(by: Duration): Promise<void> {
    this.#offset += by;
  }
}
