import { answerProblem } from './problem.js';
import type { Middleware } from './state.js';

/** At most so many requests in hand: beyond that, answering "no" at once serves everybody better. */
export function overload(requestsMax: number): Middleware {
  let inHand = 0;
  return async (ctx, next) => {
    if (inHand >= requestsMax) {
      ctx.set('Retry-After', '1');
      return answerProblem(ctx, 'overloaded');
    }
    inHand += 1;
    try {
      await next();
    } finally {
      inHand -= 1;
    }
  };
}
