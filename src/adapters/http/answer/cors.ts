import { FEED_FILTERS } from '../feed-filters.js';
import { IGNORED_PARAMETERS } from '../ignored-parameters.js';
import type { Middleware } from '../state.js';

const EXPOSED = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'ETag',
  'Feed-Head',
  'Feed-Position',
  'Feed-As-Of',
  'X-Request-Id',
  IGNORED_PARAMETERS,
  FEED_FILTERS,
].join(', ');

export const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
} as const;

/** Any web page may read any response: keys are the only credentials, cookies are ignored (D36). */
export const cors: Middleware = (ctx, next) => {
  ctx.set(CORS_HEADERS);
  return next();
};

const ALLOWED = ['Authorization', 'X-API-Key', 'X-Request-Id', 'If-None-Match', 'Oddswire-Test'];

/** Answers `OPTIONS` with the methods of a path, without a key (D36). Clients may also send the headers in `more`. */
export const optionsWith =
  (...more: readonly string[]) =>
  (allow: string): Middleware =>
  (ctx) => {
    ctx.status = 204;
    ctx.set('Allow', allow);
    ctx.set('Access-Control-Allow-Methods', allow);
    ctx.set('Access-Control-Allow-Headers', [...ALLOWED, ...more].join(', '));
    ctx.set('Access-Control-Max-Age', '86400');
  };

export const options = optionsWith();
