import { values } from '../parameters.js';
import type { Middleware } from '../state.js';

export const holdsQueryKey = (querystring: string): boolean => values(querystring, 'api_key').length > 0;

/** An address that holds a key: what is there is neither kept nor named to the next page (D19). */
export const queryKey: Middleware = async (ctx, next) => {
  await next();
  // Longer ones are never parsed: they were refused for their length (D14).
  if (ctx.status === 414 || !holdsQueryKey(ctx.querystring)) return;
  ctx.set('Cache-Control', ctx.status < 400 ? 'private, no-store' : 'no-store');
  ctx.set('Referrer-Policy', 'no-referrer');
};
