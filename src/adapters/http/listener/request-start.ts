import { randomUUID } from 'node:crypto';
import { withoutFeedTokens } from '../../../domain/destinations/feed-token.js';
import { withinTraceAndAfter } from '../../tracing/current-trace.js';
import type { BeginTrace } from '../../tracing/request-traces.js';
import type { ProblemReferences } from '../answer/service-links.js';
import type { Middleware } from '../state.js';
import { clientAddress } from './client-address.js';

const ACCEPTED = /^[A-Za-z0-9._-]{8,128}$/;

/** Stops browsers from guessing another content type. On every response of both listeners. */
export const NO_SNIFFING = { 'X-Content-Type-Options': 'nosniff' } as const;

/**
 * The id of a request: the one that the client sent, if it has the form of D38, else a new one. An id that looks like a
 * key is not used, because ids are logged.
 */
export const requestIdOf = (sent: string, redact: (text: string) => string): string =>
  ACCEPTED.test(sent) && redact(sent) === sent ? sent : randomUUID();

type Parts = {
  readonly keyFormat: { readonly redact: (text: string) => string };
  readonly config: { readonly trustedProxyHops: number };
  readonly tracing: { readonly begin: BeginTrace };
};

/** Creates the state of each request. */
export const requestStart =
  ({ keyFormat, config, tracing }: Parts, references: ProblemReferences): Middleware =>
  (ctx, next) => {
    const { redact } = keyFormat;
    const trace = tracing.begin(ctx.get('traceparent') || undefined);
    ctx.state = {
      requestId: requestIdOf(ctx.get('X-Request-Id'), redact),
      trace,
      address: clientAddress(
        ctx.req.socket.remoteAddress,
        ctx.get('X-Forwarded-For'),
        config.trustedProxyHops,
      ),
      references,
      path: withoutFeedTokens(redact(ctx.path)),
      route: null,
      key: null,
      code: null,
      subscription: null,
      plan: null,
      limits: null,
      stream: null,
      body: null,
    };
    ctx.set('X-Request-Id', ctx.state.requestId);
    ctx.set(NO_SNIFFING);
    return withinTraceAndAfter(trace, next);
  };
