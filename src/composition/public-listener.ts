import type { IncomingMessage, RequestListener } from 'node:http';
import { problemPages } from '../adapters/dashboard/problem-pages.js';
import { Compression } from '../adapters/http/answer/compression.js';
import { contentEncoding } from '../adapters/http/answer/content-encoding.js';
import { postWebhook } from '../adapters/http/billing/post-webhook.js';
import { FinishedPages } from '../adapters/http/feed/finished-pages.js';
import { getNews } from '../adapters/http/feed/get-news.js';
import { newsFastPath } from '../adapters/http/feed/news-fast-path.js';
import { NewsQueries } from '../adapters/http/feed/news-parameters.js';
import { ConnectionHashes } from '../adapters/http/keys/connection-hashes.js';
import { gateway, type HandedOver } from '../adapters/http/limits/gateway.js';
import { getUsage } from '../adapters/http/limits/get-usage.js';
import { limitHeaders } from '../adapters/http/limits/limit-headers.js';
import { type CountRequest, requestCount } from '../adapters/http/limits/request-count.js';
import { Connections } from '../adapters/http/listener/connections.js';
import { parserErrors } from '../adapters/http/listener/parser-errors.js';
import { requestClasses } from '../adapters/http/listener/request-classes.js';
import { openApiDocument } from '../adapters/http/openapi/openapi-document.js';
import { getOpenApi } from '../adapters/http/operations/get-open-api.js';
import { getStatus } from '../adapters/http/operations/get-status.js';
import { publicApi } from '../adapters/http/public-api.js';
import { VERSION } from '../settings/version.js';
import { type Made, overlay } from './container.js';
import { firstMiddleware } from './listeners.js';
import type { PageParts } from './pages.js';

/** State of the public listener between requests. */
export const publicState = (parts: PageParts) => {
  const { trustedProxyHops, connectionsPerAddress, requestsInHandMax, bodyMs } = parts.config;
  return {
    connectionHashes: () => new ConnectionHashes(parts.hashKey),
    // The connections of a proxy carry requests of everybody: they cannot be told apart.
    connections: () => new Connections(trustedProxyHops > 0 ? 0 : connectionsPerAddress),
    requestClasses: () => requestClasses({ requestsMax: requestsInHandMax, bodyMs }),
    /** Caches of finished pages, shared by both ways to answer a request for one. */
    newsPages: () => ({
      queries: new NewsQueries(),
      pages: new FinishedPages(),
      compression: new Compression(),
      handedOver: new WeakMap<IncomingMessage, HandedOver>(),
    }),
    /** By the clock at the end of a request. */
    countRequest: (): CountRequest => {
      const { usage, clock } = parts;
      return (key, status) => usage.note(key, status, clock());
    },
    publicParserErrors: () => parserErrors(overlay(parts, { record: parts.publicLog.unparsed })),
  };
};

type WithState = PageParts & Made<typeof publicState>;

export const publicApis = (parts: WithState) => ({
  publicApi: () => {
    const { publicLog, newsPages, requestClasses, guardAddress, publicAddress } = parts;
    const { queries, pages, compression, handedOver } = newsPages;
    const { queryKeyAllowed } = parts.config;
    return publicApi({
      ...firstMiddleware(parts, publicLog, (request) => handedOver.get(request)?.startedAt),
      problemPages: problemPages(publicAddress.isSecure),
      dashboard: parts.dashboard,
      operatorConsole: parts.operatorConsole,
      limitHeaders: limitHeaders(guardAddress),
      classes: requestClasses,
      requestCount: requestCount(parts.countRequest),
      gateway: gateway({ ...admission(parts), queryKeyAllowed, takes: 1 }),
      freeGateway: gateway({ ...admission(parts), queryKeyAllowed, takes: 0 }),
      encoded: contentEncoding(compression),
      getUsage,
      getStatus: getStatus(parts),
      getNews: getNews(parts.readFeed, queries, pages),
      postWebhook: parts.isSigned === null ? null : postWebhook(overlay(parts, { isSigned: parts.isSigned })),
      getOpenApi: getOpenApi(openApi(parts)),
    });
  },
});

type WithApi = WithState & Made<typeof publicApis>;

/** What the public listener runs: the fast path to a page, and the rest. */
export const publicHandlers = (parts: WithApi) => ({
  publicHandler: (): RequestListener =>
    newsFastPath({
      ...admission(parts),
      ...parts.newsPages,
      handler: parts.publicApi.callback(),
      working: parts.requestClasses.admitted,
      readFeed: parts.readFeed,
      count: parts.countRequest,
      watch: parts.publicLog.watch,
      onFault: parts.publicLog.onError,
      isDraining: parts.lifecycle.isDraining,
      trustedProxyHops: parts.config.trustedProxyHops,
    }),
});

export type PublicParts = WithApi & Made<typeof publicHandlers>;

const admission = (parts: WithState) => ({
  handedOver: parts.newsPages.handedOver,
  admitting: parts.requestClasses.admitting,
  hashes: parts.connectionHashes,
  connections: parts.connections,
  admitRequest: parts.admitRequest,
  counters: parts.counters,
  keyFormat: parts.keyFormat,
});

const openApi = ({ config: { internalHost, internalPort }, publicAddress, pretend }: WithState) =>
  openApiDocument({
    version: VERSION,
    publicUrl: publicAddress.url(),
    internalUrl: `http://${internalHost}:${internalPort}`,
    isDemo: pretend !== null,
  });
