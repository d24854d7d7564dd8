import type { ClockCheck } from '../../../src/application/ports/clock.js';
import { OWN_CLOCK } from '../../../src/domain/clock-offset.js';

/** The check of a process whose clock agrees with that of its store. */
export const rightClock: ClockCheck = { allowance: () => OWN_CLOCK, bound: (now) => now };
