import Koa from 'koa';
import type { AdvanceClock } from '../../application/advance-clock.js';
import type { PublishNews } from '../../application/feed/publish-news.js';
import type { CountWrongToken } from '../../application/limits/count-wrong-token.js';
import type { TestClock } from '../../application/ports/clock.js';
import type { FeedStore } from '../../application/ports/feed/feed-store.js';
import type { Tokens } from '../../domain/sign-in/internal-tokens.js';
import { accountHandlers } from './accounts/accounts.js';
import { paymentEventHandlers } from './billing/payment-events.js';
import { type Pretend, postDemoPayment } from './billing/post-demo-payment.js';
import { deleteNews } from './feed/delete-news.js';
import { postNews } from './feed/post-news.js';
import { keyHandlers } from './keys/keys.js';
import { hostHeader } from './listener/host-header.js';
import { getMetrics, livez, type PartState, readyz } from './operations/health.js';
import { testClockHandlers } from './operations/test-clock.js';
import { onlyFor } from './operations/tokens.js';
import { notFound, type Route, routes } from './routes.js';
import type { Middleware, State } from './state.js';

export type InternalApiParts = {
  readonly onError: (fault: unknown) => void;
  readonly requestStart: Middleware;
  readonly accessLog: Middleware;
  readonly draining: Middleware;
  readonly faults: Middleware;
  readonly internalHost: Middleware;
  readonly whileStarting: Middleware;
  readonly tokens: Tokens;
  readonly countWrongToken: CountWrongToken;
  readonly postNews: RouteHandler;
  readonly deleteNews: RouteHandler;
  readonly accounts: AccountHandlers;
  readonly keys: KeyHandlers;
  readonly paymentEvents: PaymentEventHandlers;
  readonly testClock: TestClockHandlers | null;
  /** Only in the demo. */
  readonly postDemoPayment: RouteHandler | null;
  readonly livez: RouteHandler;
  readonly readyz: RouteHandler;
  readonly metrics: RouteHandler;
};

/** The internal listener, top to bottom: publishers, operators, and whoever watches over the service (D30). */
export function internalApi(parts: InternalApiParts): Koa<State> {
  const app = new Koa<State>();
  app.on('error', parts.onError);
  app.use(parts.requestStart);
  app.use(parts.accessLog);
  app.use(parts.draining);
  app.use(parts.faults);
  app.use(hostHeader);
  app.use(parts.internalHost);
  app.use(parts.whileStarting);
  app.use(routes(internalRoutes(parts)));
  app.use(notFound);
  return app;
}

function internalRoutes(parts: InternalApiParts): readonly Route[] {
  const { accounts, keys, paymentEvents, testClock, postDemoPayment } = parts;
  const { tokens, countWrongToken } = parts;
  const publisher = onlyFor('publisher', tokens, countWrongToken);
  const operator = onlyFor('operator', tokens, countWrongToken);

  // biome-ignore format: a table is read by its columns
  return [
    { path: '/internal/v1/news',                 methods: { POST: [publisher, parts.postNews] } },
    { path: '/internal/v1/news/:id',             methods: { DELETE: [publisher, parts.deleteNews] } },
    { path: '/internal/v1/accounts',             methods: { GET: [operator, accounts.find], POST: [operator, accounts.open] } },
    { path: '/internal/v1/accounts/:id',         methods: { GET: [operator, accounts.get] } },
    { path: '/internal/v1/accounts/:id/keys',    methods: { POST: [operator, keys.issue] } },
    { path: '/internal/v1/accounts/:id/hold',    methods: { POST: [operator, accounts.hold] } },
    { path: '/internal/v1/accounts/:id/release', methods: { POST: [operator, accounts.release] } },
    { path: '/internal/v1/accounts/:id/customer', methods: { POST: [operator, accounts.link] } },
    { path: '/internal/v1/accounts/:id/checkout-reference', methods: { POST: [operator, accounts.checkoutReference] } },
    { path: '/internal/v1/accounts/:id/abuse-detection', methods: { POST: [operator, accounts.watch] } },
    { path: '/internal/v1/keys/:id',             methods: { GET: [operator, keys.get] } },
    { path: '/internal/v1/keys/:id/rotate',      methods: { POST: [operator, keys.rotate] } },
    { path: '/internal/v1/keys/:id/revoke',      methods: { POST: [operator, keys.revoke] } },
    { path: '/internal/v1/keys/:id/hold',        methods: { POST: [operator, keys.hold] } },
    { path: '/internal/v1/keys/:id/release',     methods: { POST: [operator, keys.release] } },
    { path: '/internal/v1/payment-events',       methods: { GET: [operator, paymentEvents.list] } },
    { path: '/internal/v1/payment-events/:id',   methods: { GET: [operator, paymentEvents.get] } },
    { path: '/internal/v1/payment-events/:id/replay', methods: { POST: [operator, paymentEvents.replay] } },
    ...(pretend === null ? [] : [
      { path: '/internal/v1/demo/payments',      methods: { POST: [operator, postDemoPayment(parts.accounts, pretend)] } },
    ]),
    ...(testClock === null ? [] : [
      { path: '/internal/v1/test-clock',         methods: { GET: [operator, testClock.get], POST: [operator, testClock.advance] } },
    ]),
    { path: '/livez',                            methods: { GET: [livez] } },
    { path: '/readyz',                           methods: { GET: [readyz(parts.partStates)] } },
    { path: '/metrics',                          methods: { GET: [getMetrics(metrics)] } },
  ];
}
