import type { RequestListener } from 'node:http';
import { problemPages } from '../adapters/dashboard/problem-pages.js';
import { Compression } from '../adapters/http/answer/compression.js';
import { contentEncoding } from '../adapters/http/answer/content-encoding.js';
import { refuseOverloaded } from '../adapters/http/answer/refuse-overloaded.js';
import { problemReferences } from '../adapters/http/answer/service-links.js';
import { postWebhook } from '../adapters/http/billing/post-webhook.js';
import { getFeed } from '../adapters/http/destinations/get-feed.js';
import { answerNews } from '../adapters/http/feed/answer-news.js';
import { FinishedPages } from '../adapters/http/feed/finished-pages.js';
import { HistoryExports } from '../adapters/http/feed/history/history-exports.js';
import { historyRoute } from '../adapters/http/feed/history/history-route.js';
import { marketsRoute } from '../adapters/http/feed/markets/markets-route.js';
import { newsListener } from '../adapters/http/feed/news-listener.js';
import { NewsQueries } from '../adapters/http/feed/news-parameters.js';
import { newsRoute } from '../adapters/http/feed/news-route.js';
import { openingListener } from '../adapters/http/feed/stream/opening-listener.js';
import { OpeningQueue } from '../adapters/http/feed/stream/opening-queue.js';
import { changesRoute, streamRoute } from '../adapters/http/feed/stream/stream-route.js';
import { getKey } from '../adapters/http/keys/get-key.js';
import { SentKeys } from '../adapters/http/keys/sent-keys.js';
import { admitSentKey } from '../adapters/http/limits/admit-sent-key.js';
import { freeGateway } from '../adapters/http/limits/gateway.js';
import { limitHeaders } from '../adapters/http/limits/limit-headers.js';
import type { CountRequest } from '../adapters/http/limits/request-count.js';
import { requestPriority } from '../adapters/http/limits/request-priority.js';
import { usageHistoryRoute } from '../adapters/http/limits/usage-history-route.js';
import { Connections } from '../adapters/http/listener/connections.js';
import { OverloadControl } from '../adapters/http/listener/overload-control.js';
import { parserErrors } from '../adapters/http/listener/parser-errors.js';
import { requestClasses } from '../adapters/http/listener/request-classes.js';
import { getOpenApi } from '../adapters/http/operations/get-open-api.js';
import { statusOf } from '../adapters/http/operations/status.js';
import { publicApi } from '../adapters/http/public-api.js';
import type { Middleware, RouteHandler } from '../adapters/http/state.js';
import { mcpHandlers } from '../adapters/mcp/mcp-handlers.js';
import { reference } from '../adapters/reference/reference.js';
import { statusRoute } from '../adapters/reference/status/status-route.js';
import { openFilesMax } from '../adapters/system/open-files.js';
import { overloadLog } from '../adapters/system/overload-log.js';
import { checkStream } from '../application/limits/check-stream.js';
import { takeReplayPermit } from '../application/limits/take-replay-permit.js';
import { renewalSeconds } from '../domain/limits/streams.js';
import { type Made, overlay } from './container/container.js';
import { firstMiddleware } from './listeners.js';
import type { PageParts } from './pages.js';
import type { SandboxParts } from './sandbox.js';

/** State that the public listener keeps between requests. */
export const publicState = (parts: PageParts) => {
  const { trustedProxyHops, connectionsPerAddress, requestsInHandMax, bodyMs } = parts.config;
  return {
    // A connection from a proxy carries requests of many clients, so it has no limit.
    connections: () => new Connections(trustedProxyHops > 0 ? 0 : connectionsPerAddress, openFilesMax()),
    requestClasses: () => requestClasses({ requestsMax: requestsInHandMax, bodyMs }),
    compression: () => {
      const compression = new Compression();
      parts.metrics.caches.observe('compressed', () => compression.bytes);
      return compression;
    },
    countRequest: (): CountRequest => {
      const { usage, clock } = parts;
      return { clock, note: (key, status, startedAt) => usage.note(key, status, startedAt) };
    },
    publicParserErrors: () => parserErrors(overlay(parts, { listenerLog: parts.publicLog })),
  };
};

type WithState = PageParts & Made<typeof publicState>;

/** The gateway: reads the key that was sent and admits the request. */
export const publicGateway = (parts: WithState) => ({
  openings: () => new OpeningQueue(() => parts.connections.accepted),
  sentKeys: () => {
    const { hashKey, keyFormat, connections, config } = parts;
    return new SentKeys({ hashKey, keyFormat, connections, queryKeyAllowed: config.queryKeyAllowed });
  },
  admitSentKey: () => {
    const { admitRequest, requestClasses, metrics } = parts;
    return admitSentKey({ admitRequest, admitting: requestClasses.admitting, note: metrics.gateway.note });
  },
});

type WithGateway = WithState & Made<typeof publicGateway>;

/** Refuses requests while there are more than this process can answer in time. */
export const overload = (parts: WithGateway) => ({
  overload: () =>
    new OverloadControl({
      priorityOf: requestPriority(parts.sentKeys),
      refuse: refuseOverloaded(problemReferences(parts, parts.publicLog.listener)),
      isOfOneClient: parts.config.trustedProxyHops === 0,
      notes: overloadLog(parts.log, parts.metrics.overload),
    }),
});

/** The news answer, shared by both entry points: the listener without Koa and the Koa route. */
export const news = (parts: WithGateway) => ({
  answerNews: () => {
    const { admitSentKey, refund, guardAddress, requestClasses, readFeed, compression, publicLog } = parts;
    const { readPastFeed, metrics } = parts;
    const pages = new FinishedPages();
    metrics.caches.observe('pages', () => pages.bytes);
    return answerNews({
      admitSentKey,
      refund,
      guardAddress,
      readFeed,
      readPastFeed,
      compression,
      working: requestClasses.admitted,
      queries: new NewsQueries(parts.keyFormat),
      pages,
      report: publicLog.reportFault,
      references: problemReferences(parts, publicLog.listener),
    });
  },
});

type WithNews = WithGateway & Made<typeof news>;

/** The history over HTTP. */
export const historyApi = (parts: WithNews & Made<typeof overload>) => ({
  historyRoute: () => {
    const takePermit = takeReplayPermit(parts);
    const historyExports = new HistoryExports({
      readHistory: parts.readHistory,
      streamSlots: parts.streamSlots,
      checkStream: checkStream(parts),
      takeReplayPermit: takePermit,
      monotonicClock: parts.monotonicClock,
      isDraining: parts.lifecycle.isDraining,
      requestsRead: parts.overload.requestsRead,
      report: (fault: unknown) => parts.log.error({ err: fault }, 'an export failed'),
      settings: { renewalMs: renewalSeconds(parts.config.streamSlotSeconds) * 1_000 },
    });
    const { admitSentKey, sentKeys, refund, requestClasses, readHistory, countRequest: count } = parts;
    return historyRoute({
      ...{ admitSentKey, sentKeys, refund, takeReplayPermit: takePermit },
      ...{ working: requestClasses.admitted, readHistory, historyExports, count },
      keyFormat: parts.keyFormat,
    });
  },
});

/** The directory of markets over HTTP. */
export const marketsApi = (parts: WithNews) => ({
  marketsRoute: () => {
    const { admitSentKey, sentKeys, refund, requestClasses, readMarkets, countRequest: count } = parts;
    const { keyFormat } = parts;
    return marketsRoute({
      ...{ admitSentKey, sentKeys, refund, working: requestClasses.admitted },
      ...{ readMarkets, count, keyFormat },
    });
  },
});

/** The usage of an account over HTTP. */
export const usageApi = (parts: WithNews) => ({
  usageHistoryRoute: () => {
    const { admitSentKey, sentKeys, refund, requestClasses, readUsageHistory, countRequest: count } = parts;
    const { keyFormat } = parts;
    return usageHistoryRoute({
      ...{ admitSentKey, sentKeys, refund, working: requestClasses.admitted },
      ...{ readUsageHistory, count, keyFormat },
    });
  },
});

type WithHistory = WithNews & Made<typeof historyApi> & Made<typeof marketsApi> & Made<typeof usageApi>;

/** The live stream over HTTP. */
export const streamApi = (parts: WithHistory) => ({
  streamRoute: () => streamRoute(streamParts(parts)),
  changesRoute: () => changesRoute(streamParts(parts)),
});

function streamParts(parts: WithHistory): Parameters<typeof streamRoute>[0] {
  const { admitSentKey, sentKeys, refund, openings, openStream, publicLog } = parts;
  return {
    admitSentKey,
    sentKeys,
    refund,
    openings,
    openStream,
    keyFormat: parts.keyFormat,
    count: parts.countRequest,
    working: parts.requestClasses.admitted,
    isDraining: parts.lifecycle.isDraining,
    noteLostEvents: publicLog.lostEvents,
  };
}

type WithStreams = WithHistory & Made<typeof streamApi> & SandboxParts;

export const publicApis = (parts: WithStreams) => ({
  publicApi: () => {
    const { publicLog, requestClasses, guardAddress, publicAddress, answerNews, sentKeys } = parts;
    const { sandboxDoor: door } = parts;
    const news = newsRoute({ answerNews, sentKeys, count: parts.countRequest });
    return publicApi({
      ...firstMiddleware(parts, publicLog),
      problemPages: problemPages(publicAddress.isSecure),
      dashboard: parts.dashboard,
      operatorConsole: parts.operatorConsole,
      limitHeaders: limitHeaders(guardAddress),
      classes: requestClasses,
      newsRoute: door.route(news, parts.sandboxNews),
      streamRoute: door.route(parts.streamRoute, parts.sandboxStream),
      changesRoute: door.route(parts.changesRoute, parts.sandboxChanges),
      historyRoute: door.route(parts.historyRoute, parts.sandboxHistory),
      marketsRoute: door.unlessInSandbox(parts.marketsRoute),
      usageHistoryRoute: door.unlessInSandbox(parts.usageHistoryRoute),
      freeGateway: door.unlessInSandbox(freeGateway(parts) as RouteHandler) as Middleware,
      encoded: contentEncoding(parts.compression),
      mcp: mcpHandlers(
        overlay(parts, {
          report: publicLog.reportFault,
          keep: publicLog.requestLog.keep,
          takeReplayPermit: takeReplayPermit(parts),
          working: requestClasses.admitted,
        }),
      ),
      getStatus: statusRoute(overlay(parts, { status: statusOf(parts) })),
      postWebhook: parts.isSigned === null ? null : postWebhook(overlay(parts, { isSigned: parts.isSigned })),
      getKey: getKey(parts),
      getFeed: getFeed(overlay(parts, { publicUrl: publicAddress.url })),
      getOpenApi: getOpenApi('public', parts),
      reference: reference(parts),
    });
  },
});

type WithApi = WithStreams & Made<typeof publicApis>;

/** The handler of the public listener: news pages without Koa, everything else with it. */
export const publicHandlers = (parts: WithApi) => ({
  publicHandler: (): RequestListener =>
    newsListener({
      handler: openingListener(parts.publicApi.callback(), parts.openings, parts.lifecycle.isDraining),
      answerNews: parts.answerNews,
      sentKeys: parts.sentKeys,
      isInSandbox: parts.sandboxDoor.isInSandbox,
      count: parts.countRequest,
      requestLog: parts.publicLog.requestLog,
      onFault: parts.publicLog.onError,
      isDraining: parts.lifecycle.isDraining,
      trustedProxyHops: parts.config.trustedProxyHops,
      beginTrace: parts.tracing.begin,
    }),
});

export type PublicParts = WithApi & Made<typeof publicHandlers>;
