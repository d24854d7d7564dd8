import type { IncomingMessage } from 'node:http';
import { answerProblem } from '../answer/problem.js';
import type { Middleware } from '../state.js';

/** RFC 9112 requires exactly one Host in HTTP/1.1. Node accepts two (T11). */
export function hasInvalidHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1 || (hosts === 0 && httpVersion !== '1.0');
}

/**
 * Refuses a request without exactly one Host, and closes its connection, because its next bytes may be no valid
 * request.
 */
export const hostHeader: Middleware = (ctx, next) => {
  if (!hasInvalidHost(ctx.req)) return next();
  ctx.set('Connection', 'close');
  answerProblem(ctx, 'bad_request');
};
