import type { IncomingMessage } from 'node:http';
import { isQueryTooLong } from './feed/query-length.js';
import { holdsQueryKey } from './keys/query-key.js';
import { isHostWrong } from './listener/host-header.js';

/** Whether a middleware may answer a `GET` of the page, or change its answer. */
type Concerns = (request: IncomingMessage, querystring: string) => boolean;

const never: Concerns = () => false;

/**
 * The middleware of all routes of the public listener, in order, each with the requests for the page that it concerns.
 * The listener leaves those to Koa (`news-listener.ts`), and answers the others without any middleware. So a new
 * middleware of all routes is a row here: without one, `public-api.ts` does not compile.
 */
// biome-ignore format: a table is read by its columns
export const EVERY_ROUTE = {
  // The listener does the same by the same functions.
  requestStart:    never,
  accessLog:       never,
  draining:        never,
  // Other paths.
  dashboard:       never,
  operatorConsole: never,
  // Headers that `answer-news.ts` gives every answer.
  cors:            never,
  limitHeaders:    never,
  // Headers, and answers instead of the page.
  queryKey:        (_, querystring) => !isQueryTooLong(querystring) && holdsQueryKey(querystring),
  faults:          never, // `answer-news.ts` answers them.
  queryLength:     (_, querystring) => isQueryTooLong(querystring),
  hostHeader:      isHostWrong,
} as const satisfies Readonly<Record<string, Concerns>>;

export type EveryRouteName = keyof typeof EVERY_ROUTE;

const CONCERNED: readonly Concerns[] = Object.values(EVERY_ROUTE).filter((concerns) => concerns !== never);

export const isLeftToKoa: Concerns = (request, querystring) =>
  CONCERNED.some((concerns) => concerns(request, querystring));
