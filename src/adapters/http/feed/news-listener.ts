import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { logAnswer, type RequestLog } from '../access-log.js';
import { isHandledByKoa } from '../every-route.js';
import { readHeaders } from '../honoured-headers.js';
import type { SentKeys } from '../keys/sent-keys.js';
import { type CountRequest, countAnswered } from '../limits/request-count.js';
import { clientAddress, rangesOf } from '../listener/client-address.js';
import { requestIdOf } from '../listener/request-start.js';
import { type AnswerNews, NEWS_PATH, type Seen } from './answer-news.js';
import type { NewsAnswer } from './news-answers.js';

type Parts = {
  /** Koa: answers all other requests. */
  readonly handler: RequestListener;
  readonly answerNews: AnswerNews;
  readonly sentKeys: SentKeys;
  readonly trustedProxyHops: number;
  readonly isDraining: () => boolean;
  readonly requestLog: RequestLog;
  readonly count: CountRequest;
  readonly onFault: (fault: unknown) => void;
};

/**
 * Answers `GET /pm/v2/news` without Koa. Nearly all requests are for a page in memory: this listener reads the raw
 * request and answers with one write. The middleware would take three times as long.
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

/** Null if the request is not for the page, or has a fragment, which no client should send and Koa removes. */
function newsQuerystring({ method, url = '' }: IncomingMessage): string | null {
  if (method !== 'GET' || !url.startsWith(NEWS_PATH) || url.includes('#')) return null;
  if (url.length === NEWS_PATH.length) return '';
  return url[NEWS_PATH.length] === '?' ? url.slice(NEWS_PATH.length + 1) : null;
}

/** Returns a promise if the response must be waited for. */
function answer(
  parts: Parts,
  { rawHeaders, socket }: IncomingMessage,
  response: ServerResponse,
  querystring: string,
): Promise<void> | undefined {
  const headers = readHeaders(rawHeaders);
  const requestId = requestIdOf(headers.requestId ?? '', parts.requestLog.redact);
  const address = clientAddress(socket.remoteAddress, headers.forwardedFor ?? '', parts.trustedProxyHops);
  const endedRequest = {
    requestId,
    method: 'GET',
    route: NEWS_PATH,
    path: NEWS_PATH,
    querystring,
    address,
    key: null,
  };
  logAnswer(parts.requestLog, response, () => endedRequest);

  const sent = parts.sentKeys.of(socket, headers, querystring);
  const request = { querystring, headers, sent, address: rangesOf(address), requestId };
  const answered = parts.answerNews(request, endedRequest);
  if (answered instanceof Promise) return answered.then((late) => write(parts, response, late, endedRequest));
  write(parts, response, answered, endedRequest);
}

function write(
  { isDraining, count }: Parts,
  response: ServerResponse,
  { status, headers, body }: NewsAnswer,
  { key }: Seen,
): void {
  if (response.destroyed) return; // The client has disconnected, which the access log states.
  if (isDraining()) headers.push('Connection', 'close'); // T8
  response.writeHead(status, headers);
  response.end(body);
  countAnswered(count, response, key, status);
}
