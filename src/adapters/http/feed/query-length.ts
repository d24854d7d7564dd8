import { answerProblem } from '../answer/problem.js';
import type { Middleware } from '../state.js';

/** The longest query string, in bytes (D14). It is checked before the query string is parsed. */
const QUERY_MAX = 4_096;

export const isQueryTooLong = (querystring: string): boolean => querystring.length > QUERY_MAX;

export const queryLength: Middleware = (ctx, next) => {
  if (!isQueryTooLong(ctx.querystring)) return next();
  answerProblem(ctx, 'uri_too_long');
};
