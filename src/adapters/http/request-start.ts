import { randomUUID } from 'node:crypto';
import { clientAddress } from './client-address.js';
import type { Middleware } from './state.js';

const ACCEPTED = /^[A-Za-z0-9._-]{8,128}$/;

/**
 * Gives each request its state and its id, the caller's own where it has the form of D38. A key sent
 * as an id is not taken over: an id is written to the log.
 */
export const requestStart =
  (redact: (text: string) => string, trustedProxyHops: number): Middleware =>
  (ctx, next) => {
    const sent = ctx.get('X-Request-Id');
    ctx.state = {
      requestId: ACCEPTED.test(sent) && redact(sent) === sent ? sent : randomUUID(),
      address: clientAddress(ctx, trustedProxyHops),
      path: redact(ctx.path),
      route: null,
      key: null,
      limits: null,
    };
    ctx.set('X-Request-Id', ctx.state.requestId);
    return next();
  };
