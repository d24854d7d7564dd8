import { randomUUID } from 'node:crypto';
import type { Middleware } from './state.js';

const ACCEPTED = /^[A-Za-z0-9._-]{8,128}$/;

/**
 * Gives each request its state and its id, the caller's own where it has the form of D38. A key sent
 * as an id is not taken over: an id is written to the log.
 */
export const requestStart =
  (redact: (text: string) => string): Middleware =>
  (ctx, next) => {
    const sent = ctx.get('X-Request-Id');
    ctx.state = {
      requestId: ACCEPTED.test(sent) && redact(sent) === sent ? sent : randomUUID(),
      path: redactedPath(ctx.path, redact),
      route: null,
      key: null,
      limits: null,
    };
    ctx.set('X-Request-Id', ctx.state.requestId);
    return next();
  };

/** The path as it was sent unless a key can be read in it, percent-encoded or not. */
function redactedPath(path: string, redact: (text: string) => string): string {
  const readable = decoded(path);
  const redacted = redact(readable);
  return redacted === readable ? path : redacted;
}

/** Every character that is percent-encoded, however often, as it reads; what is not UTF-8 stays as it is. */
function decoded(path: string): string {
  const once = path.replace(/%[0-7][0-9a-f]/gi, (octet) => decodeURIComponent(octet));
  return once === path ? path : decoded(once);
}
