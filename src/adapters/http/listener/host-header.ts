import { answerProblem } from '../answer/problem.js';
import type { Middleware } from '../state.js';

/** RFC 9112: exactly one Host, in HTTP/1.1. Node lets two pass (T11). The connection cannot be trusted further. */
export const hostHeader: Middleware = (ctx, next) => {
  const hosts = ctx.req.headersDistinct['host']?.length ?? 0;
  if (hosts === 1 || (hosts === 0 && ctx.req.httpVersion === '1.0')) return next();
  ctx.set('Connection', 'close');
  answerProblem(ctx, 'bad_request');
};
