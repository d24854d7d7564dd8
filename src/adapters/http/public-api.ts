import Koa from 'koa';
import compose from 'koa-compose';
import { conditional } from './conditional.js';
import { cors, options } from './cors.js';
import { hostHeader } from './host-header.js';
import { queryKey } from './query-key.js';
import { queryLength } from './query-length.js';
import { notFound, routes } from './routes.js';
import type { Middleware, RouteHandler, State } from './state.js';

/** Under these paths are pages for people: neither cross-origin reading nor rate-limit headers are for them. */
const PAGE = /^\/(?:dashboard|operator)(?:\/|$)/;

/** The public listener, top to bottom: what a request meets, in the order it meets it. */
export function publicApi(parts: {
  readonly onError: (fault: unknown) => void;
  readonly requestStart: Middleware;
  readonly accessLog: Middleware;
  readonly draining: Middleware;
  /** Pages for people. */
  readonly dashboard: Middleware;
  /** Pages for operators; null where they are switched off. */
  readonly operatorConsole: Middleware | null;
  readonly limitHeaders: Middleware;
  readonly faults: Middleware;
  readonly overload: Middleware;
  /** Of pages: however many are in hand, the API has room. */
  readonly pageOverload: Middleware;
  readonly requestCount: Middleware;
  readonly gateway: Middleware;
  readonly encoded: Middleware;
  /** For those who may come in, at no cost; nor is it counted as use. */
  readonly freeGateway: Middleware;
  readonly getNews: RouteHandler;
  readonly getUsage: RouteHandler;
  readonly getStatus: RouteHandler;
  readonly getOpenApi: RouteHandler;
  /** Null where no secret is set: nobody could sign. */
  readonly postWebhook: RouteHandler | null;
}): Koa<State> {
  const app = new Koa<State>();
  app.on('error', parts.onError);
  const { encoded, dashboard, operatorConsole } = parts;
  app.use(parts.requestStart);
  app.use(parts.accessLog);
  app.use(parts.draining);
  const served = operatorConsole === null ? [dashboard] : [dashboard, operatorConsole];
  const pages = compose([hostHeader, parts.pageOverload, queryLength, ...served]);
  app.use((ctx, next) => (PAGE.test(ctx.path) ? pages(ctx, next) : next()));
  app.use(cors);
  app.use(parts.limitHeaders);
  app.use(queryKey);
  app.use(parts.faults);
  app.use(hostHeader);
  app.use(parts.overload);
  app.use(queryLength);
  app.use(
    routes([
      {
        path: '/pm/v2/news',
        methods: { GET: [parts.requestCount, parts.gateway, encoded, conditional, parts.getNews] },
        options,
      },
      { path: '/pm/v2/usage', methods: { GET: [parts.freeGateway, parts.getUsage] }, options },
      { path: '/status', methods: { GET: [parts.getStatus] }, options },
      {
        path: '/openapi.json',
        methods: { GET: [encoded, conditional, parts.getOpenApi] },
        options,
      },
      ...(parts.postWebhook === null
        ? []
        : [{ path: '/webhooks/stripe', methods: { POST: [parts.postWebhook] } }]),
    ]),
  );
  app.use(notFound);
  return app;
}
