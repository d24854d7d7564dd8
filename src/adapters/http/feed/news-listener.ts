import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { logAnswer, type RequestLog } from '../access-log.js';
import { isLeftToKoa } from '../every-route.js';
import { honouredHeaders } from '../honoured-headers.js';
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
 * `GET` of the page without Koa. Nearly all requests ask for a page that is in the process already: they are read from
 * the bytes that came and answered with one write. The middleware would take them three times as long.
 */
export const newsListener = (parts: Parts): RequestListener => {
  const { handler, onFault } = parts;
  return (request, response) => {
    const querystring = newsQuerystring(request);
    if (querystring === null || isLeftToKoa(request, querystring)) return handler(request, response);
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

/** Null where the request is none for the page. Koa takes a fragment off, which no client should send. */
function newsQuerystring({ method, url = '' }: IncomingMessage): string | null {
  if (method !== 'GET' || !url.startsWith(NEWS_PATH) || url.includes('#')) return null;
  if (url.length === NEWS_PATH.length) return '';
  return url[NEWS_PATH.length] === '?' ? url.slice(NEWS_PATH.length + 1) : null;
}

/** A promise where the answer has to be waited for. */
function answer(
  parts: Parts,
  { rawHeaders, socket }: IncomingMessage,
  response: ServerResponse,
  querystring: string,
): Promise<void> | undefined {
  const headers = honouredHeaders(rawHeaders);
  const requestId = requestIdOf(headers.requestId ?? '', parts.requestLog.redact);
  const address = clientAddress(socket.remoteAddress, headers.forwardedFor ?? '', parts.trustedProxyHops);
  const asked = {
    requestId,
    method: 'GET',
    route: NEWS_PATH,
    path: NEWS_PATH,
    querystring,
    address,
    key: null,
  };
  logAnswer(parts.requestLog, response, () => asked);

  const sent = parts.sentKeys.of(socket, headers, querystring);
  const request = { querystring, headers, sent, address: rangesOf(address), requestId };
  const answered = parts.answerNews(request, asked);
  if (answered instanceof Promise) return answered.then((late) => write(parts, response, late, asked));
  write(parts, response, answered, asked);
}

function write(
  { isDraining, count }: Parts,
  response: ServerResponse,
  { status, headers, body }: NewsAnswer,
  { key }: Seen,
): void {
  if (response.destroyed) return; // The caller is gone, and that is in the log.
  if (isDraining()) headers.push('Connection', 'close'); // T8
  response.writeHead(status, headers);
  response.end(body);
  countAnswered(count, response, key, status);
}
