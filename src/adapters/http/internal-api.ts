import Koa from 'koa';
import type { AdvanceClock } from '../../application/advance-clock.js';
import type { NewDryRun, PublishNews } from '../../application/feed/publish-news.js';
import type { PurgeNews } from '../../application/feed/purge-news.js';
import type { ReadItemState } from '../../application/feed/read-item-state.js';
import type { CountWrongToken } from '../../application/limits/count-wrong-token.js';
import type { TestClock } from '../../application/ports/clock.js';
import type { FeedWriter } from '../../application/ports/feed/feed-store.js';
import type { Tokens } from '../../domain/sign-in/internal-tokens.js';
import { accountHandlers } from './accounts/accounts.js';
import { conditional } from './answer/conditional.js';
import { paymentEventHandlers } from './billing/payment-events.js';
import { type FakePayments, postDemoPayment } from './billing/post-demo-payment.js';
import { countedPublications, type PublicationCounts } from './feed/counted-publications.js';
import { deleteNews } from './feed/delete-news.js';
import { getNews } from './feed/get-news.js';
import { postNews } from './feed/post-news.js';
import type { PublishingNotes } from './feed/publishing.js';
import { keyHandlers } from './keys/keys.js';
import { hostHeader } from './listener/host-header.js';
import { type DependencyState, getMetrics, livez, readyz } from './operations/health.js';
import { testClockHandlers } from './operations/test-clock.js';
import { onlyFor } from './operations/tokens.js';
import type { DocumentRoute } from './public-api.js';
import { notFound, type Route, routes } from './routes.js';
import type { Middleware, RouteHandler, State } from './state.js';
import { refusingUnknownParameters } from './unknown-parameters.js';

type InternalParts = Parameters<typeof accountHandlers>[0] &
  Parameters<typeof keyHandlers>[0] &
  Parameters<typeof paymentEventHandlers>[0] & {
    readonly tokens: Tokens;
    readonly countWrongToken: CountWrongToken;
    readonly publishNews: PublishNews;
    readonly newDryRun: NewDryRun;
    readonly purgeNews: PurgeNews;
    readonly readItemState: ReadItemState;
    readonly publicationNotes: PublishingNotes;
    readonly feed: FeedWriter;
    /** Null except in the demo. */
    readonly fakePayments: FakePayments | null;
    /** Null without a test clock; `advanceClock` is then never read. */
    readonly testClock: TestClock | null;
    readonly advanceClock: AdvanceClock;
    readonly dependencyStates: () => readonly DependencyState[];
    readonly metrics: PublicationCounts & { readonly contentType: string };
    readonly metricsText: () => Promise<string>;
    readonly getOpenApi: RouteHandler;
    /** The guide for publishers. */
    readonly guide: readonly DocumentRoute[];
  };

/** The middleware of all routes. */
type FirstMiddleware = {
  readonly onError: (fault: unknown) => void;
  readonly requestStart: Middleware;
  readonly accessLog: Middleware;
  readonly draining: Middleware;
  readonly faults: Middleware;
  readonly internalHost: Middleware;
  readonly whileStarting: Middleware;
};

/** The internal listener, for publishers, operators and monitoring (D30). Middleware runs in the order of the lines. */
export function internalApi(first: FirstMiddleware, parts: InternalParts): Koa<State> {
  const app = new Koa<State>();
  app.on('error', first.onError);
  app.use(first.requestStart);
  app.use(first.accessLog);
  app.use(first.draining);
  app.use(first.faults);
  app.use(hostHeader);
  app.use(first.internalHost);
  app.use(first.whileStarting);
  app.use(routes(internalRoutes(parts)));
  app.use(notFound);
  return app;
}

/** The parameters of the calls that have any. */
const PARAMETERS = {
  'POST /internal/v1/news': ['mode', 'dry_run'],
  'DELETE /internal/v1/news/:id': ['purge'],
  'GET /internal/v1/accounts': ['email'],
  'GET /internal/v1/payment-events': ['state', 'account_id'],
};

function internalRoutes(parts: InternalParts): readonly Route[] {
  const { tokens, countWrongToken, fakePayments, clock, newDryRun, publicationNotes } = parts;
  const accounts = accountHandlers(parts);
  const keys = keyHandlers(parts);
  const paymentEvents = paymentEventHandlers(parts);
  const testClock = parts.testClock === null ? null : testClockHandlers(clock, parts.advanceClock);
  const metrics = { contentType: parts.metrics.contentType, text: parts.metricsText };
  const publishNews = countedPublications(parts.publishNews, parts.metrics);
  const publisher = onlyFor(['publisher'], tokens, countWrongToken);
  const operator = onlyFor(['operator'], tokens, countWrongToken);
  const both = onlyFor(['publisher', 'operator'], tokens, countWrongToken);

  // biome-ignore format: a table is read by its columns
  const calls: readonly Route[] = [
    { path: '/internal/v1/news',                 methods: { POST: [publisher, postNews({ publishNews, newDryRun, publicationNotes })] } },
    { path: '/internal/v1/news/:id',             methods: { GET: [both, getNews(parts.readItemState)], DELETE: [deleteNews(publisher, operator, parts)] } },
    { path: '/internal/v1/accounts',             methods: { GET: [operator, accounts.find], POST: [operator, accounts.open] } },
    { path: '/internal/v1/accounts/:id',         methods: { GET: [operator, accounts.get], DELETE: [operator, accounts.delete] } },
    { path: '/internal/v1/accounts/:id/keys',    methods: { POST: [operator, keys.issue] } },
    { path: '/internal/v1/accounts/:id/hold',    methods: { POST: [operator, accounts.hold] } },
    { path: '/internal/v1/accounts/:id/release', methods: { POST: [operator, accounts.release] } },
    { path: '/internal/v1/accounts/:id/customer', methods: { POST: [operator, accounts.link] } },
    { path: '/internal/v1/accounts/:id/checkout-reference', methods: { POST: [operator, accounts.checkoutReference] } },
    { path: '/internal/v1/accounts/:id/abuse-detection', methods: { POST: [operator, accounts.setAbuseDetection] } },
    { path: '/internal/v1/keys/:id',             methods: { GET: [operator, keys.get] } },
    { path: '/internal/v1/keys/:id/rotate',      methods: { POST: [operator, keys.rotate] } },
    { path: '/internal/v1/keys/:id/revoke',      methods: { POST: [operator, keys.revoke] } },
    { path: '/internal/v1/keys/:id/hold',        methods: { POST: [operator, keys.hold] } },
    { path: '/internal/v1/keys/:id/release',     methods: { POST: [operator, keys.release] } },
    { path: '/internal/v1/payment-events',       methods: { GET: [operator, paymentEvents.list] } },
    { path: '/internal/v1/payment-events/:id',   methods: { GET: [operator, paymentEvents.get] } },
    { path: '/internal/v1/payment-events/:id/replay', methods: { POST: [operator, paymentEvents.replay] } },
    ...(fakePayments === null ? [] : [
      { path: '/internal/v1/demo/payments',      methods: { POST: [operator, postDemoPayment(parts.accounts, fakePayments)] } },
    ]),
    ...(testClock === null ? [] : [
      { path: '/internal/v1/test-clock',         methods: { GET: [operator, testClock.get], POST: [operator, testClock.advance] } },
    ]),
  ];
  // biome-ignore format: a table is read by its columns
  return [
    ...refusingUnknownParameters(calls, PARAMETERS, parts.keyFormat),
    { path: '/openapi.json',                     methods: { GET: [conditional, parts.getOpenApi] } },
    ...parts.guide.map(({ at, get }) => ({ path: at, methods: { GET: [conditional, get] } })),
    { path: '/livez',                            methods: { GET: [livez] } },
    { path: '/readyz',                           methods: { GET: [readyz(parts.dependencyStates)] } },
    { path: '/metrics',                          methods: { GET: [getMetrics(metrics)] } },
  ];
}
