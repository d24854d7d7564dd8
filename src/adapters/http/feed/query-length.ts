import { answerProblem } from '../answer/problem.js';
import type { Middleware } from '../state.js';

/** Bytes of a query string (D14). Checked before anything reads it. */
const QUERY_MAX = 4_096;

export const queryLength: Middleware = (ctx, next) => {
  if (ctx.querystring.length <= QUERY_MAX) return next();
  answerProblem(ctx, 'uri_too_long');
};
