import type { AdvanceClock } from '../../../application/advance-clock.js';
import type { Clock } from '../../../application/ports/clock.js';
import { SECOND } from '../../../domain/moment.js';
import { takesJson } from '../answer/body.js';
import type { RouteHandler } from '../state.js';

const BODY_MAX = 1_024;

/** `/internal/v1/test-clock`, with `TEST_CLOCK=1` only (D5, D30). */
export const testClockHandlers = (clock: Clock, advanceClock: AdvanceClock) => ({
  get: ((ctx) => {
    ctx.body = { now: clock() };
  }) as RouteHandler,

  advance: takesJson<{ readonly advance_seconds: number }>('ClockAdvance', BODY_MAX, async (ctx, body) => {
    ctx.body = { now: await advanceClock(Math.round(body.advance_seconds * SECOND)) };
  }),
});
