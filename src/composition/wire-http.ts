import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { problemPages } from '../adapters/dashboard/problem-pages.js';
import { accessLog, type Watch } from '../adapters/http/access-log.js';
import { accountViews } from '../adapters/http/accounts/account-views.js';
import { accountHandlers } from '../adapters/http/accounts/accounts.js';
import { Compression } from '../adapters/http/answer/compression.js';
import { contentEncoding } from '../adapters/http/answer/content-encoding.js';
import { faults, type ReportFault } from '../adapters/http/answer/faults.js';
import { paymentEventHandlers } from '../adapters/http/billing/payment-events.js';
import { postDemoPayment } from '../adapters/http/billing/post-demo-payment.js';
import { postWebhook } from '../adapters/http/billing/post-webhook.js';
import { deleteNews } from '../adapters/http/feed/delete-news.js';
import { FinishedPages } from '../adapters/http/feed/finished-pages.js';
import { getNews } from '../adapters/http/feed/get-news.js';
import { newsFastPath } from '../adapters/http/feed/news-fast-path.js';
import { NewsQueries } from '../adapters/http/feed/news-parameters.js';
import { postNews } from '../adapters/http/feed/post-news.js';
import { internalApi } from '../adapters/http/internal-api.js';
import { ConnectionHashes } from '../adapters/http/keys/connection-hashes.js';
import { keyHandlers } from '../adapters/http/keys/keys.js';
import { gateway, type HandedOver } from '../adapters/http/limits/gateway.js';
import { getUsage } from '../adapters/http/limits/get-usage.js';
import { limitHeaders } from '../adapters/http/limits/limit-headers.js';
import { type CountRequest, requestCount } from '../adapters/http/limits/request-count.js';
import { Connections } from '../adapters/http/listener/connections.js';
import { draining } from '../adapters/http/listener/draining.js';
import { internalHost } from '../adapters/http/listener/internal-host.js';
import { parserErrors } from '../adapters/http/listener/parser-errors.js';
import { requestClasses } from '../adapters/http/listener/request-classes.js';
import { requestStart } from '../adapters/http/listener/request-start.js';
import { whileStarting } from '../adapters/http/listener/while-starting.js';
import { openApiDocument } from '../adapters/http/openapi/openapi-document.js';
import { getOpenApi } from '../adapters/http/operations/get-open-api.js';
import { getStatus } from '../adapters/http/operations/get-status.js';
import { getMetrics, livez, readyz } from '../adapters/http/operations/health.js';
import { testClockHandlers } from '../adapters/http/operations/test-clock.js';
import { publicApi } from '../adapters/http/public-api.js';
import { countWrongToken } from '../application/limits/count-wrong-token.js';
import { Unavailable } from '../application/unavailable.js';
import type { Config } from '../settings/config.js';
import { VERSION } from '../settings/version.js';
import {
  ACCOUNTS,
  ADMIT_REQUEST,
  ADVANCE_CLOCK,
  CLOCK,
  CONNECTION_HASHES,
  CONNECTIONS,
  COUNT_ATTEMPT,
  COUNTERS,
  DASHBOARD,
  FEED_STORE,
  GUARD_ADDRESS,
  HASH_KEY,
  HOLD,
  INTERNAL_API,
  INTERNAL_PARSER_ERRORS,
  IS_SIGNED,
  ISSUE_KEY,
  KEY_FORMAT,
  LAST_USED,
  LIFECYCLE,
  LINK_CUSTOMER,
  LOG,
  MAKE_CHECKOUT_REFERENCE,
  METRICS,
  METRICS_TEXT,
  OPEN_ACCOUNT,
  OPERATOR_CONSOLE,
  PART_STATES,
  PAYMENT_EVENTS,
  PAYMENT_INBOX,
  PRETEND,
  PUBLIC_ADDRESS,
  PUBLIC_API,
  PUBLIC_HANDLER,
  PUBLIC_PARSER_ERRORS,
  PUBLISH_NEWS,
  READ_FEED,
  READ_FEED_HEAD,
  READ_PAYMENT_EVENT,
  REPLAY_EVENT,
  REPORT_FAULT,
  REVOKE_KEY,
  ROTATE_KEY,
  TEST_CLOCK,
  TOKENS,
  USAGE_HISTORY,
  WATCH_ACCOUNT,
  type Wiring,
} from './parts.js';

/** The two listeners, and what is common to both. */
export function wireHttp(wiring: Wiring, config: Config): void {
  wirePublicConnections(wiring, config);
  wirePublicApi(wiring, config);
  wireInternalApi(wiring, config);
}

/** What every request of a listener meets first, and what is kept of it. */
function watched(
  { get }: Wiring,
  listener: 'public' | 'internal',
  trustedProxyHops: number,
  startedAt?: (request: IncomingMessage) => number | undefined,
) {
  const log = get(LOG).child({ listener });
  const metrics = get(METRICS);
  const { redact } = get(KEY_FORMAT);
  const watch: Watch = {
    redact,
    record: log.isLevelEnabled('info') ? (record) => log.info(record, 'request') : null,
    measure: ({ method, route, status }, seconds) =>
      metrics.request({ listener, method, route, status }, seconds),
  };
  return {
    // Faults are answered and reported by `faults`. What is left to Koa is mostly a caller that went
    // away, which its line in the log tells already.
    onError: (fault: unknown) => {
      if (!isGone(fault)) log.error({ err: fault }, 'fault');
    },
    requestStart: requestStart(redact, trustedProxyHops),
    accessLog: accessLog(watch, startedAt),
    watch,
    draining: draining(get(LIFECYCLE).isDraining),
    faults: faults(reportTo(log)),
  };
}

const reportTo =
  (log: Logger): ReportFault =>
  (fault, requestId) => {
    log[levelOf(fault)]({ err: fault, request_id: requestId }, 'fault');
  };

/** A part that is known to be away has had its line; then there is no cause to tell. */
function levelOf(fault: unknown): 'error' | 'warn' | 'debug' {
  if (!(fault instanceof Unavailable)) return 'error';
  return fault.cause === undefined ? 'debug' : 'warn';
}

const isGone = (fault: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'ECONNABORTED'].includes((fault as { readonly code?: string }).code ?? '');

function wirePublicApi(wiring: Wiring, config: Config): void {
  const { part, get } = wiring;
  const { trustedProxyHops, queryKeyAllowed } = config;

  const handedOver = new WeakMap<IncomingMessage, HandedOver>();
  const classes = requestClasses({ requestsMax: config.requestsInHandMax, bodyMs: config.bodyMs });
  const queries = new NewsQueries();
  const pages = new FinishedPages();
  const compression = new Compression();
  const admission = () => ({
    handedOver,
    admitting: classes.admitting,
    hashes: get(CONNECTION_HASHES),
    connections: get(CONNECTIONS),
    admitRequest: get(ADMIT_REQUEST),
    counters: get(COUNTERS),
    keyFormat: get(KEY_FORMAT),
  });

  part(PUBLIC_HANDLER, () => {
    const { watch, onError: onFault } = watched(wiring, 'public', trustedProxyHops);
    const handler = get(PUBLIC_API).callback();
    const { isDraining } = get(LIFECYCLE);
    const asked = { ...admission(), readFeed: get(READ_FEED), count: counting(wiring) };
    const shared = { working: classes.admitted, queries, pages, compression };
    return newsFastPath({ ...asked, ...shared, handler, watch, onFault, isDraining, trustedProxyHops });
  });
  part(PUBLIC_API, () =>
    publicApi({
      ...watched(wiring, 'public', trustedProxyHops, (request) => handedOver.get(request)?.startedAt),
      problemPages: problemPages(get(PUBLIC_ADDRESS).isSecure),
      dashboard: get(DASHBOARD),
      operatorConsole: get(OPERATOR_CONSOLE),
      limitHeaders: limitHeaders(get(GUARD_ADDRESS)),
      classes,
      requestCount: requestCount(counting(wiring)),
      gateway: gateway({ ...admission(), queryKeyAllowed, takes: 1 }),
      freeGateway: gateway({ ...admission(), queryKeyAllowed, takes: 0 }),
      encoded: contentEncoding(compression),
      getUsage,
      getStatus: getStatus({
        states: get(PART_STATES),
        readFeedHead: get(READ_FEED_HEAD),
        clock: get(CLOCK),
      }),
      getNews: getNews(get(READ_FEED), queries, pages),
      postWebhook: webhook(wiring),
      getOpenApi: getOpenApi(openApi(wiring, config)),
    }),
  );
}

/** Connections of the public listener, and what is reported of them. */
function wirePublicConnections({ part, get }: Wiring, config: Config): void {
  part(CONNECTION_HASHES, () => new ConnectionHashes(get(HASH_KEY)));
  const { trustedProxyHops, connectionsPerAddress } = config;
  // The connections of a proxy carry requests of everybody: they cannot be told apart.
  part(CONNECTIONS, () => new Connections(trustedProxyHops > 0 ? 0 : connectionsPerAddress));
  part(REPORT_FAULT, () => reportTo(get(LOG).child({ listener: 'public' })));
  part(PUBLIC_PARSER_ERRORS, () =>
    parserErrors({
      guardAddress: get(GUARD_ADDRESS),
      clock: get(CLOCK),
      record: (record) => get(LOG).info({ listener: 'public', ...record }, 'unparsed request'),
    }),
  );
}

const openApi = ({ get }: Wiring, { internalHost, internalPort }: Config) =>
  openApiDocument({
    version: VERSION,
    publicUrl: get(PUBLIC_ADDRESS).url(),
    internalUrl: `http://${internalHost}:${internalPort}`,
    isDemo: get(PRETEND) !== null,
  });

/** By the clock at the end of a request. */
function counting({ get }: Wiring): CountRequest {
  const [usage, clock] = [get(USAGE_HISTORY), get(CLOCK)];
  return (key, status) => usage.note(key, status, clock());
}

function webhook({ get }: Wiring) {
  const isSigned = get(IS_SIGNED);
  const parts = { read: get(READ_PAYMENT_EVENT), events: get(PAYMENT_EVENTS), clock: get(CLOCK) };
  return isSigned === null ? null : postWebhook({ ...parts, isSigned });
}

function wireInternalApi(wiring: Wiring, { trustedProxyHops, internalHosts }: Config): void {
  const { part, get } = wiring;

  part(INTERNAL_API, () => {
    const stores = { accounts: get(ACCOUNTS), lastUsed: get(LAST_USED), clock: get(CLOCK) };
    const views = accountViews(stores);
    const pretend = get(PRETEND);
    return internalApi({
      ...watched(wiring, 'internal', trustedProxyHops),
      internalHost: internalHost(internalHosts),
      whileStarting: whileStarting(get(LIFECYCLE)),
      tokens: get(TOKENS),
      countWrongToken: countWrongToken({
        countAttempt: get(COUNT_ATTEMPT),
        warn: (address) =>
          get(LOG).warn({ listener: 'internal', address }, 'wrong tokens came from this address'),
      }),
      postNews: postNews(get(PUBLISH_NEWS)),
      deleteNews: deleteNews(get(FEED_STORE)),
      accounts: accountHandlers({
        ...stores,
        openAccount: get(OPEN_ACCOUNT),
        hold: get(HOLD),
        linkCustomer: get(LINK_CUSTOMER),
        makeCheckoutReference: get(MAKE_CHECKOUT_REFERENCE),
        watchAccount: get(WATCH_ACCOUNT),
        views,
        keyFormat: get(KEY_FORMAT),
      }),
      keys: keyHandlers({
        ...stores,
        issueKey: get(ISSUE_KEY),
        rotateKey: get(ROTATE_KEY),
        revokeKey: get(REVOKE_KEY),
        hold: get(HOLD),
        views,
        keyFormat: get(KEY_FORMAT),
      }),
      paymentEvents: paymentEventHandlers({
        inbox: get(PAYMENT_INBOX),
        replayEvent: get(REPLAY_EVENT),
      }),
      postDemoPayment: pretend === null ? null : postDemoPayment(get(ACCOUNTS), pretend),
      testClock: get(TEST_CLOCK) === null ? null : testClockHandlers(get(CLOCK), get(ADVANCE_CLOCK)),
      livez,
      readyz: readyz(get(PART_STATES)),
      metrics: getMetrics({ contentType: get(METRICS).contentType, text: get(METRICS_TEXT) }),
    });
  });
  part(INTERNAL_PARSER_ERRORS, () =>
    parserErrors({
      guardAddress: null,
      clock: get(CLOCK),
      record: (record) => get(LOG).info({ listener: 'internal', ...record }, 'unparsed request'),
    }),
  );
}
