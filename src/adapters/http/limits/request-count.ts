import type { KeyId } from '../../../domain/keys/api-key.js';
import type { Middleware } from '../state.js';

/** Counts an answered request under the key that it was made with. */
export type CountRequest = (key: KeyId, status: number) => void;

/**
 * Counts a request once it is over: only then is it known which status went out, and whether any did. For routes that
 * ask for a key; one that is none of ours is counted by its address (D33).
 */
export const requestCount =
  (count: CountRequest): Middleware =>
  (ctx, next) => {
    ctx.res.once('close', () => {
      const { key } = ctx.state;
      if (key !== null && ctx.res.headersSent) count(key, ctx.res.statusCode);
    });
    return next();
  };
