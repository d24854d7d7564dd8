import type { ServerResponse } from 'node:http';
import type { KeyId } from '../../domain/keys/api-key.js';
import { takeoverOf } from '../fast-paths/takeover.js';
import type { RequestTrace } from '../tracing/request-traces.js';
import { LOGGED_PARAMETERS } from './feed/feed-parameters.js';
import type { KeepRequest, KeptRequest } from './keep-request.js';
import type { LoggedStream, StreamRecord } from './logged-stream.js';
import { parameters } from './parameters.js';
import type { Middleware } from './state.js';

/** The labels of a request in the metrics. */
type RequestLabels = {
  readonly method: string;
  /** The route that answered; `none` for unknown paths. */
  readonly route: string;
  readonly status: number;
};

/** One line of the access log, written when the request ends. */
type AccessRecord = RequestLabels & {
  readonly request_id: string;
  /** Only if the request belongs to a trace. */
  readonly trace_id?: string;
  readonly span_id?: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Milliseconds, rounded to whole microseconds. */
  readonly duration_ms: number;
  readonly address: string;
  readonly key_id: KeyId | null;
  /** The client disconnected before the response was complete. */
  readonly aborted: boolean;
  /** Only for streams and batches (D47). */
  readonly stream?: StreamRecord;
};

/** Where the log lines and metrics of requests go. */
export type RequestLog = {
  /** Null if the log level excludes these records. Then no record is created. */
  readonly record: ((record: AccessRecord) => void) | null;
  /** The same at a lower log level, for requests that the script of an open page repeats. */
  readonly recordPoll: ((record: AccessRecord) => void) | null;
  readonly measure: (labels: RequestLabels, seconds: number) => void;
  /** Redacts everything that looks like a key (T12). */
  readonly redact: (text: string) => string;
  /** The request log of the owners of keys (D74); not on the internal listener. */
  readonly keep?: KeepRequest;
};

/** The data of a request at its end. */
export type EndedRequest = KeptRequest & {
  readonly trace: RequestTrace | null;
  readonly route: string;
  readonly stream?: LoggedStream | null;
};

/** Query parameters that are logged; `api_key` never is (D19, T12). `mode` is one of the internal listener. */
const LOGGED: ReadonlySet<string> = new Set([...LOGGED_PARAMETERS, 'mode']);

/** The logged status if the client disconnected before a status was sent. Proxies use the same number. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Writes the metrics of a request when its response ends, and its log line: that of a stream when the connection of the
 * stream is closed.
 */
export function logAnswer(
  requestLog: RequestLog,
  response: ServerResponse,
  endedRequest: () => EndedRequest,
  startedAt: number = performance.now(),
): void {
  atClose(response, () => {
    const request = endedRequest();
    const endedAt = performance.now();
    const { method, route, stream = null } = request;
    const open = stream?.open ?? null;
    const status = open?.status ?? (response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST);
    const measuredMs = (stream?.measuredUntil ?? endedAt) - startedAt;
    requestLog.measure({ method, route, status }, measuredMs / 1_000);
    recordSpan(request.trace, { method, route, status }, startedAt, measuredMs);
    requestLog.keep?.(request, status, measuredMs);
    const { record } = requestLog;
    if (record === null) return;
    const line = {
      ...lineOf(requestLog, request, status),
      aborted: open === null && !response.writableFinished,
    };
    if (open === null) record({ ...line, ...atEnd(startedAt, endedAt, stream) });
    else open.whenClosed(lateLine(record, line, startedAt, stream));
  });
}

/** Also if the client has gone away before: then later, when the handler of the response has set what is logged. */
function atClose(response: ServerResponse, done: () => void): void {
  if (response.closed) setImmediate(done);
  else response.on('close', done);
}

/** Records the span of a request. The names are those of the semantic conventions of OpenTelemetry. */
function recordSpan(
  trace: RequestTrace | null,
  { method, route, status }: RequestLabels,
  startedAt: number,
  ms: number,
): void {
  if (trace === null || trace.record === null) return;
  const start = performance.timeOrigin + startedAt;
  trace.record({
    kind: 'server',
    name: `${method} ${route}`,
    context: trace,
    parentSpanId: trace.parentSpanId,
    startedAt: start,
    endedAt: start + ms,
    isError: status >= 500,
    attributes: { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status },
  });
}

type Line = Omit<AccessRecord, 'duration_ms' | 'stream'>;

/** Writes the line of a stream at its end. A function of its own: its result must not keep the request, for hours. */
const lateLine =
  (write: (record: AccessRecord) => void, line: Line, startedAt: number, stream: LoggedStream | null) => () =>
    write({ ...line, ...atEnd(startedAt, performance.now(), stream) });

const lineOf = ({ redact }: RequestLog, request: EndedRequest, status: number): Omit<Line, 'aborted'> => ({
  request_id: request.requestId,
  ...(request.trace !== null && { trace_id: request.trace.traceId, span_id: request.trace.spanId }),
  method: request.method,
  path: request.path,
  query: loggedQuery(request.querystring, redact),
  route: request.route,
  status,
  address: redact(request.address),
  key_id: request.key,
});

const atEnd = (
  startedAt: number,
  endedAt: number,
  stream: LoggedStream | null,
): Pick<AccessRecord, 'duration_ms' | 'stream'> => ({
  duration_ms: Math.round((endedAt - startedAt) * 1_000) / 1_000,
  ...(stream !== null && { stream: stream.record() }),
});

/** The scripts that ask again while a page is open send this header with the value `1` (`dashboard/browser/live.ts`, `first-request.ts`). */
export const POLL_HEADER = 'X-Page-Poll';

/** The routes that these scripts and that of the request log (`request-log.ts`) ask for. */
export const POLLED_ROUTES: ReadonlySet<string> = new Set([
  '/dashboard/keys',
  '/dashboard/keys/:id',
  '/dashboard/keys/:id/rotation',
  '/dashboard/keys/:id/first-request',
  '/dashboard/subscription',
  '/dashboard/usage/log',
]);

/**
 * Whether a request may be logged at the lower level. Anyone can send the header, so the response must be one of these
 * pages with status 200, which needs a session.
 */
const isAnsweredPage = ({ method, route, status }: RequestLabels): boolean =>
  method === 'GET' && status === 200 && POLLED_ROUTES.has(route);

export const accessLog = (requestLog: RequestLog): Middleware => {
  const pollLog: RequestLog = {
    ...requestLog,
    record: (record) => (isAnsweredPage(record) ? requestLog.recordPoll : requestLog.record)?.(record),
  };
  return (ctx, next) => {
    const endedRequest = () => ({
      requestId: ctx.state.requestId,
      trace: ctx.state.trace,
      method: ctx.method,
      route: ctx.state.route ?? 'none',
      path: ctx.state.path,
      address: ctx.state.address,
      key: ctx.state.key,
      limits: ctx.state.limits,
      code: ctx.state.code,
      bytes: lengthOf(ctx.res),
      stream: ctx.state.stream,
      // A query string that was refused for its length is never parsed (D14).
      querystring: ctx.status === 414 ? '' : ctx.querystring,
    });
    const log = ctx.get(POLL_HEADER) === '1' ? pollLog : requestLog;
    logAnswer(log, ctx.res, endedRequest, takeoverOf(ctx.req)?.askedAt);
    return next();
  };
};

/** Null without `Content-Length`: then the length was not known in advance. */
function lengthOf(response: ServerResponse): number | null {
  const length = response.getHeader('Content-Length');
  return length === undefined ? null : Number(length);
}

const loggedQuery = (querystring: string, redact: (text: string) => string): Record<string, string> =>
  Object.fromEntries(
    parameters(querystring).flatMap(({ name, value }) =>
      LOGGED.has(name) && value !== undefined ? [[name, redact(value)]] : [],
    ),
  );
