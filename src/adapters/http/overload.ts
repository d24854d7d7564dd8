import { answerProblem } from './problem.js';
import type { Middleware } from './state.js';

/** How many requests are in hand, of so many at most. */
export class RequestsInHand {
  readonly #max: number;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** False where there is no room; who got in must leave. */
  enter(): boolean {
    if (this.#count >= this.#max) return false;
    this.#count += 1;
    return true;
  }

  leave(): void {
    this.#count -= 1;
  }
}

/** Beyond what fits in hand, answering "no" at once serves everybody better. */
export const overload =
  (inHand: RequestsInHand): Middleware =>
  async (ctx, next) => {
    if (!inHand.enter()) {
      ctx.set('Retry-After', '1');
      return answerProblem(ctx, 'overloaded');
    }
    try {
      await next();
    } finally {
      inHand.leave();
    }
  };
