import type { IncomingMessage } from 'node:http';
import { isQueryTooLong } from './feed/query-length.js';
import { hasQueryKey } from './keys/query-key.js';
import { hasInvalidHost } from './listener/host-header.js';

/** Whether a middleware may answer this `GET /pm/v2/news`, or change its response. */
type Concerns = (request: IncomingMessage, querystring: string) => boolean;

const never: Concerns = () => false;

/**
 * The middleware of all routes of the public listener, in order. Each row states for which requests for the news page
 * the middleware must run. `news-listener.ts` passes such requests to Koa, and answers all others without middleware.
 * Each middleware of all routes needs a row here: without it, `public-api.ts` does not compile.
 */
// biome-ignore format: a table is read by its columns
export const EVERY_ROUTE = {
  // `news-listener.ts` calls the same functions.
  requestStart:    never,
  accessLog:       never,
  draining:        never,
  // These handle other paths.
  dashboard:       never,
  operatorConsole: never,
  // `answer-news.ts` sets the same headers.
  cors:            never,
  limitHeaders:    never,
  // These set headers, or answer instead of the page.
  queryKey:        (_, querystring) => !isQueryTooLong(querystring) && hasQueryKey(querystring),
  faults:          never, // `answer-news.ts` turns faults into responses.
  queryLength:     (_, querystring) => isQueryTooLong(querystring),
  hostHeader:      hasInvalidHost,
} as const satisfies Readonly<Record<string, Concerns>>;

export type EveryRouteName = keyof typeof EVERY_ROUTE;

const CONCERNED: readonly Concerns[] = Object.values(EVERY_ROUTE).filter((concerns) => concerns !== never);

export const isHandledByKoa: Concerns = (request, querystring) =>
  CONCERNED.some((concerns) => concerns(request, querystring));
