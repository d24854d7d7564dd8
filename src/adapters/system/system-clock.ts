import type { TestClock } from '../../application/ports/clock.js';
import { type Duration, fromEpochMillis, type Moment, plus } from '../../domain/moment.js';

export const systemClock = (): Moment => fromEpochMillis(Date.now());

/** The system clock plus an offset of this process (`TEST_CLOCK=1`, D5). */
export class ShiftedClock implements TestClock {
  #offset: Duration = 0;

  readonly now = (): Moment => plus(systemClock(), this.#offset);

  async advance(by: Duration): Promise<void> {
    this.#offset += by;
  }
}
