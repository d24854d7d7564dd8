import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import type { Moment } from '../../../domain/moment.js';
import { withinTrace } from '../../tracing/current-trace.js';
import type { BeginTrace } from '../../tracing/request-traces.js';
import { type EndedRequest, logAnswer, type RequestLog } from '../access-log.js';
import { isHandledByKoa } from '../every-route.js';
import type { SentKeys } from '../keys/sent-keys.js';
import { type CountRequest, countAnswered } from '../limits/request-count.js';
import { clientAddress, rangesOf } from '../listener/client-address.js';
import { requestIdOf } from '../listener/request-start.js';
import { readHeaders } from '../read-headers.js';
import { type AnswerNews, NEWS_PATH, type RequestKey } from './answer-news.js';
import type { NewsAnswer } from './news-answers.js';

type Parts = {
  /** The handler of Koa, which answers all other requests. */
  readonly handler: RequestListener;
  readonly answerNews: AnswerNews;
  readonly sentKeys: SentKeys;
  /** Whether the key of a request that is none of `sentKeys` is one of the sandbox, which Koa answers (D77). */
  readonly isInSandbox: (request: IncomingMessage) => boolean;
  readonly trustedProxyHops: number;
  readonly beginTrace: BeginTrace;
  readonly isDraining: () => boolean;
  readonly requestLog: RequestLog;
  readonly count: CountRequest;
  readonly onFault: (fault: unknown) => void;
};

/**
 * Answers `GET /pm/v2/news` without Koa. Nearly all requests are for a page in memory. This listener reads the raw
 * request and answers with one write. With the middleware of Koa, a request would take three times as long (D114).
 */
export const newsListener = (parts: Parts): RequestListener => {
  const { handler, onFault } = parts;
  return (request, response) => {
    const querystring = newsQuerystring(request);
    if (querystring === null || isHandledByKoa(request, querystring)) return handler(request, response);
    const failed = (fault: unknown) => {
      onFault(fault);
      response.destroy();
    };
    try {
      answer(parts, request, response, querystring)?.catch(failed);
    } catch (fault) {
      failed(fault);
    }
  };
};

/** A request whose answer states what it was. */
type WrittenRequest = RequestKey & {
  readonly startedAt: Moment;
  limits: readonly Limit[] | null;
  code: string | null;
  bytes: number | null;
};

/** The query string; null if the request is not for the news page. */
function newsQuerystring({ method, url = '' }: IncomingMessage): string | null {
  if (method !== 'GET' || !url.startsWith(NEWS_PATH)) return null;
  if (url.length === NEWS_PATH.length) return '';
  return url[NEWS_PATH.length] === '?' ? url.slice(NEWS_PATH.length + 1) : null;
}

/** Returns a promise if the response is not available at once. */
function answer(
  parts: Parts,
  incoming: IncomingMessage,
  response: ServerResponse,
  querystring: string,
): Promise<void> | undefined {
  const { rawHeaders, socket } = incoming;
  const headers = readHeaders(rawHeaders);
  const sent = parts.sentKeys.of(socket, headers, querystring);
  if (sent === 'malformed' && parts.isInSandbox(incoming)) {
    parts.handler(incoming, response);
    return;
  }
  const requestId = requestIdOf(headers.requestId ?? '', parts.requestLog.redact);
  const address = clientAddress(socket.remoteAddress, headers.forwardedFor ?? '', parts.trustedProxyHops);
  const trace = parts.beginTrace(headers.traceParent);
  const endedRequest: WrittenRequest & EndedRequest = {
    requestId,
    trace,
    method: 'GET',
    route: NEWS_PATH,
    path: NEWS_PATH,
    querystring,
    address,
    key: null,
    limits: null,
    code: null,
    bytes: null,
    startedAt: parts.count.clock(),
  };
  logAnswer(parts.requestLog, response, () => endedRequest);

  const request = { querystring, headers, sent, address: rangesOf(address), requestId };
  const answered = withinTrace(trace, () => parts.answerNews(request, endedRequest));
  if (answered instanceof Promise) return answered.then((late) => write(parts, response, late, endedRequest));
  write(parts, response, answered, endedRequest);
}

function write(
  { isDraining, count }: Parts,
  response: ServerResponse,
  { status, headers, body, code, limits }: NewsAnswer,
  request: WrittenRequest,
): void {
  if (response.destroyed) return; // The client has disconnected, which the access log states.
  if (isDraining()) headers.push('Connection', 'close'); // T8
  request.code = code;
  request.limits = limits;
  request.bytes = body === null ? 0 : body.length;
  response.writeHead(status, headers);
  response.end(body);
  countAnswered(count, response, request.key, status, request.startedAt);
}
