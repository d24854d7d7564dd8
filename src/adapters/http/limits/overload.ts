import { answerProblem } from '../answer/problem.js';
import type { Bulkhead } from '../listener/bulkhead.js';
import { subnetOf } from '../listener/client-address.js';
import type { Context, Middleware } from '../state.js';

/**
 * Answers 503 at once if too many requests are in progress, because an early refusal is better than a late response.
 */
export const overload =
  (bulkhead: Bulkhead): Middleware =>
  async (ctx, next) => {
    const group = subnetOf(ctx.state.address);
    if (!bulkhead.enter(group)) return answerOverloaded(ctx);
    try {
      await next();
    } finally {
      bulkhead.leave(group);
    }
  };

export const answerOverloaded = (ctx: Context): void => answerProblem(ctx, 'overloaded');
