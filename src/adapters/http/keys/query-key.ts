import { values } from '../parameters.js';
import type { Middleware } from '../state.js';

export const hasQueryKey = (querystring: string): boolean => values(querystring, 'api_key').length > 0;

/**
 * If the URL contains a key, caches must not store the response, and browsers must not send the URL as `Referer` (D19).
 */
export const queryKey: Middleware = async (ctx, next) => {
  await next();
  // A query string that was refused for its length is never parsed (D14).
  if (ctx.status === 414 || !hasQueryKey(ctx.querystring)) return;
  ctx.set('Cache-Control', ctx.status < 400 ? 'private, no-store' : 'no-store');
  ctx.set('Referrer-Policy', 'no-referrer');
};
