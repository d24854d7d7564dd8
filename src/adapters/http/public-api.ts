import Koa from 'koa';
import compose from 'koa-compose';
import { conditional } from './answer/conditional.js';
import { cors, options, optionsWith } from './answer/cors.js';
import { EVERY_ROUTE, type EveryRouteName } from './every-route.js';
import { queryLength } from './feed/query-length.js';
import { LAST_EVENT_ID } from './feed/stream/stream-parameters.js';
import { queryKey } from './keys/query-key.js';
import { getUsage } from './limits/get-usage.js';
import { overload } from './limits/overload.js';
import { hostHeader } from './listener/host-header.js';
import type { RequestClass, RequestClasses } from './listener/request-classes.js';
import { type Route, routes } from './routes.js';
import type { Middleware, RouteHandler, State } from './state.js';

/** Paths of HTML pages. Their responses have no CORS headers and no rate-limit headers. */
const DASHBOARD = /^\/dashboard(?:\/|$)/;
const OPERATOR_CONSOLE = /^\/operator(?:\/|$)/;

const MCP_PATH = '/mcp';

/** A page or a file that describes the service. Its body does not change, or changes seldom. */
export type DocumentRoute = {
  readonly at: string;
  readonly get: RouteHandler;
  /** The body is compressed already. */
  readonly isPacked?: true;
};

/** The MCP server: its handlers, in the order in which a request passes them. */
export type McpHandlers = {
  /** Refuses requests from foreign web pages. */
  readonly ownSource: Middleware;
  /** Requires a valid key; takes no permit and counts no usage. */
  readonly gateway: Middleware;
  /** Requires a body of JSON. */
  readonly json: Middleware;
  readonly answer: RouteHandler;
};

export type PublicApiParts = {
  readonly onError: (fault: unknown) => void;
  readonly requestStart: Middleware;
  readonly accessLog: Middleware;
  readonly draining: Middleware;
  /** Runs before the pages and renders problem documents as pages. */
  readonly problemPages: Middleware;
  /** Pages for account holders. */
  readonly dashboard: Middleware;
  /** Pages for operators; null if they are switched off. */
  readonly operatorConsole: Middleware | null;
  readonly limitHeaders: Middleware;
  readonly faults: Middleware;
  readonly classes: RequestClasses;
  readonly encoded: Middleware;
  /** Requires a valid key; takes no permit and counts no usage. */
  readonly freeGateway: Middleware;
  readonly newsRoute: RouteHandler;
  readonly streamRoute: RouteHandler;
  readonly changesRoute: RouteHandler;
  readonly historyRoute: RouteHandler;
  readonly marketsRoute: RouteHandler;
  readonly usageHistoryRoute: RouteHandler;
  readonly getKey: RouteHandler;
  readonly getFeed: RouteHandler;
  readonly mcp: McpHandlers;
  readonly getStatus: RouteHandler;
  readonly getOpenApi: RouteHandler;
  /** The front page, the documentation and the files for programs. */
  readonly reference: {
    readonly frontRoute: RouteHandler;
    readonly routes: readonly DocumentRoute[];
    /** Answers every path that no route has. */
    readonly missing: Middleware;
  };
  /** Null without a webhook secret, because then no signature can be checked. */
  readonly postWebhook: RouteHandler | null;
};

/** The public listener. Middleware runs in the order of `EVERY_ROUTE`. */
export function publicApi(parts: PublicApiParts): Koa<State> {
  const app = new Koa<State>();
  app.on('error', parts.onError);
  const { classes } = parts;
  const pages = (middleware: Middleware, requestClass: RequestClass) =>
    compose([parts.problemPages, queryLength, hostHeader, ...received(requestClass), middleware]);
  const dashboard = pages(parts.dashboard, classes.dashboard);
  const operatorConsole =
    parts.operatorConsole === null
      ? parts.problemPages
      : pages(parts.operatorConsole, classes.operatorConsole);

  const { requestStart, accessLog, draining, limitHeaders, faults } = parts;
  const everyRoute: Readonly<Record<EveryRouteName, Middleware>> = {
    requestStart,
    accessLog,
    draining,
    cors,
    limitHeaders,
    queryKey,
    faults,
    queryLength,
    hostHeader,
    dashboard: (ctx, next) => (DASHBOARD.test(ctx.path) ? dashboard(ctx, next) : next()),
    operatorConsole: (ctx, next) => (OPERATOR_CONSOLE.test(ctx.path) ? operatorConsole(ctx, next) : next()),
  };
  for (const name of Object.keys(EVERY_ROUTE) as EveryRouteName[]) app.use(everyRoute[name]);
  app.use(routes([...apiRoutes(parts), mcpRoute(parts), ...documentRoutes(parts)]));
  app.use(parts.reference.missing);
  return app;
}

/** The routes of the API. */
function apiRoutes(parts: PublicApiParts): readonly Route[] {
  const {
    newsRoute,
    streamRoute,
    changesRoute,
    historyRoute,
    marketsRoute,
    usageHistoryRoute,
    freeGateway,
    encoded,
    classes,
    getStatus,
    getFeed,
    getOpenApi,
    postWebhook,
  } = parts;
  const [admitted, open] = [overload(classes.admitted), overload(classes.open.bulkhead)];
  // biome-ignore format: a table is read by its columns
  return [
    { path: '/pm/v2/news',   methods: { GET: [newsRoute] }, options },
    { path: '/pm/v2/stream', methods: { GET: [streamRoute] }, isWithoutHead: true, options: optionsWith(LAST_EVENT_ID) },
    { path: '/pm/v2/changes', methods: { GET: [changesRoute] }, isWithoutHead: true, options: optionsWith(LAST_EVENT_ID) },
    { path: '/pm/v2/history', methods: { GET: [encoded, historyRoute] }, isWithoutHead: true, options },
    { path: '/pm/v2/markets', methods: { GET: [encoded, marketsRoute] }, isWithoutHead: true, options },
    { path: '/pm/v2/key',    methods: { GET: [freeGateway, admitted, parts.getKey] }, options },
    { path: '/pm/v2/usage',  methods: { GET: [freeGateway, admitted, getUsage] }, options },
    { path: '/pm/v2/usage/history', methods: { GET: [encoded, usageHistoryRoute] }, isWithoutHead: true, options },
    { path: '/status',       methods: { GET: [open, getStatus] }, options },
    { path: '/feeds/:file',  methods: { GET: [admitted, encoded, getFeed] }, options },
    { path: '/',             methods: { GET: [open, encoded, conditional, parts.reference.frontRoute] }, options },
    { path: '/openapi.json', methods: { GET: [open, encoded, conditional, getOpenApi] }, options },
    ...(postWebhook === null ? [] : [
      { path: '/webhooks/stripe', methods: { POST: [...received(classes.webhooks), postWebhook] } },
    ]),
  ];
}

/** The headers that the specification of MCP defines for requests of browsers. */
const MCP_HEADERS = ['Content-Type', 'MCP-Protocol-Version', 'Mcp-Session-Id', 'Mcp-Method', 'Mcp-Name'];

/** The MCP server. OpenAPI cannot describe it: clients ask the server itself for its tools. */
const mcpRoute = ({ mcp, classes }: PublicApiParts): Route => ({
  path: MCP_PATH,
  methods: { POST: [mcp.ownSource, mcp.gateway, mcp.json, ...received(classes.mcp), mcp.answer] },
  options: optionsWith(...MCP_HEADERS),
});

/** The pages and files that describe the service. They need no key. */
const documentRoutes = ({ reference, classes, encoded }: PublicApiParts): readonly Route[] => {
  const open = overload(classes.open.bulkhead);
  return reference.routes.map(({ at, get, isPacked }) => ({
    path: at,
    methods: { GET: isPacked ? [open, conditional, get] : [open, encoded, conditional, get] },
    options,
  }));
};

/** A request counts as in progress only after its body has arrived. */
const received = ({ receiveBody, bulkhead }: RequestClass): readonly Middleware[] => [
  receiveBody,
  overload(bulkhead),
];
