import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FeedReading, ReadFeed } from '../../../application/feed/read-feed.js';
import type { Admission, AdmitRequest } from '../../../application/limits/admit-request.js';
import { refunded } from '../../../application/limits/refund.js';
import type { Counters } from '../../../application/ports/limits/counters.js';
import type { FeedQuery } from '../../../domain/feed/feed-query.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import type { Moment } from '../../../domain/moment.js';
import { type Watch, watchAnswer } from '../access-log.js';
import type { Compression } from '../answer/compression.js';
import { CORS_HEADERS } from '../answer/cors.js';
import type { ConnectionHashes } from '../keys/connection-hashes.js';
import type { HandedOver } from '../limits/gateway.js';
import { rateLimitHeaders } from '../limits/limit-headers.js';
import type { CountRequest } from '../limits/request-count.js';
import type { Bulkhead } from '../listener/bulkhead.js';
import { type AddressRanges, rangesOf } from '../listener/client-address.js';
import type { Connections } from '../listener/connections.js';
import { NO_SNIFFING, requestIdOf } from '../listener/request-start.js';
import type { FinishedPages } from './finished-pages.js';
import { PAGE_HEADERS } from './get-news.js';
import type { NewsQueries } from './news-parameters.js';
import { NEWS_PATH, type PollerRequest, readPollerRequest } from './poller-request.js';

type Parts = {
  /** Answers what is not answered here. */
  readonly handler: RequestListener;
  /** What the handler has to know of requests that it is given after all. */
  readonly handedOver: WeakMap<IncomingMessage, HandedOver>;
  readonly admitRequest: AdmitRequest;
  readonly counters: Counters;
  readonly readFeed: ReadFeed;
  readonly queries: NewsQueries;
  readonly pages: FinishedPages;
  readonly compression: Compression;
  readonly keyFormat: KeyFormat;
  readonly hashes: ConnectionHashes;
  readonly trustedProxyHops: number;
  readonly connections: Connections;
  /** Requests that are not admitted yet, and admitted ones (`gateway.ts`, `public-api.ts`). */
  readonly admitting: Bulkhead;
  readonly working: Bulkhead;
  readonly isDraining: () => boolean;
  readonly watch: Watch;
  readonly count: CountRequest;
  readonly onFault: (fault: unknown) => void;
};

type Page = {
  readonly tag: string;
  readonly head: Moment | null;
  readonly encoding: 'identity' | 'br' | 'gzip';
  /** Null where the caller has it already. */
  readonly body: Buffer | null;
};

/**
 * Nearly all requests ask for a page that was finished for another one before. Such a request meets the same use cases
 * as any other, and its answer is written in one piece; the way through the middleware (`public-api.ts`) would take it
 * three times as long. Whatever is unusual goes that way, and so does all that is answered with anything but a page:
 * this one knows no refusal and no fault.
 */
export const newsFastPath = (parts: Parts): RequestListener => {
  const { handler, handedOver, admitting, working, isDraining, watch } = parts;

  return (request, response) => {
    const asked = isDraining() ? null : readPollerRequest(request, parts);
    if (asked === null) return handler(request, response);
    const bulkhead = asked.sent.wasAdmitted ? working : admitting;
    const ranges = rangesOf(asked.address);
    if (!bulkhead.enter(ranges.subnet)) return handler(request, response);
    answer(asked, { bulkhead, ranges }, request, response).catch((fault: unknown) => {
      parts.onFault(fault);
      response.destroy();
    });
  };

  async function answer(
    asked: PollerRequest,
    entered: Entered,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const startedAt = performance.now();
    const { querystring, address } = asked;
    const requestId = requestIdOf(asked.headers.requestId, watch.redact);
    const decided: Decided = { admission: null, page: null };
    let isOurs = true;
    watchAnswer(watch, response, () => {
      const key = decided.admission?.key ?? null;
      return isOurs
        ? { requestId, method: 'GET', route: NEWS_PATH, path: NEWS_PATH, querystring, address, key }
        : null;
    });

    await decide(parts, decided, asked, entered, request.socket);
    const { admission, page } = decided;
    if (admission?.admitted && page !== null) {
      const limits = page.body === null ? await refunded(admission, parts.counters) : admission.limits;
      return answerPage(parts, response, admission.key, { requestId, limits, page, isLast: isDraining() });
    }
    if (response.closed) return; // The caller is gone, and that is written down.
    isOurs = false;
    handedOver.set(request, { admission, startedAt });
    handler(request, response);
  }
};

/** Admits the request and finds its page, as far as both go without a refusal or a fault. */
async function decide(
  parts: Parts,
  decided: Decided,
  { sent, query, headers }: PollerRequest,
  entered: Entered,
  socket: Socket,
): Promise<void> {
  const { group: address, network, subnet } = entered.ranges;
  let { bulkhead } = entered;
  try {
    const { credential, hash } = sent;
    const admission = await parts.admitRequest({ credential, hash, address, network });
    decided.admission = admission;
    parts.hashes.decided(sent, admission);
    if (!admission.admitted) return;
    parts.connections.prove(socket);
    if (bulkhead === parts.admitting) bulkhead = firstAdmitted(parts, subnet);
    if (bulkhead === null) return;
    decided.page = finishedPage(parts, headers, query, await parts.readFeed(query));
  } catch {
    // The Koa handler will hit the same error and render the problem document.
  } finally {
    bulkhead?.leave(subnet);
  }
}

/** The key is valid: from here on the request counts as admitted. Null where no more of those are taken. */
function firstAdmitted(parts: Parts, subnet: string): Bulkhead | null {
  parts.admitting.leave(subnet);
  return parts.working.enter(subnet) ? parts.working : null;
}

/** Null where there is no such page yet in the encoding asked for. */
function finishedPage(
  parts: Parts,
  headers: PollerRequest['headers'],
  query: FeedQuery,
  reading: FeedReading,
): Page | null {
  const { page, head, bytesOf } = reading;
  const { body, tag } = parts.pages.of(page, query.marketId, bytesOf);
  const { ifNoneMatch, acceptEncoding, isMoreThanCompared } = headers;
  if (ifNoneMatch !== undefined) {
    // A list of tags, one of another page, or a caller that wants more than to compare: rare, and read elsewhere.
    return ifNoneMatch === tag && !isMoreThanCompared
      ? { tag, head, encoding: 'identity', body: null }
      : null;
  }
  const encoding = parts.compression.choose(acceptEncoding, body);
  if (encoding === 'identity') return { tag, head, encoding, body };
  const compressed = parts.compression.kept(encoding, tag);
  return compressed === undefined ? null : { tag, head, encoding, body: compressed };
}

/** Where a request was counted when it came, and what its address belongs to. */
type Entered = { readonly bulkhead: Bulkhead | null; readonly ranges: AddressRanges };

/** What was decided of a request so far. */
type Decided = { admission: Admission | null; page: Page | null };

type PageAnswer = { requestId: string; limits: readonly Limit[]; page: Page; isLast: boolean };

function answerPage({ count }: Parts, response: ServerResponse, key: KeyId, answer: PageAnswer): void {
  if (response.closed) return; // The caller is gone, and that is written down.
  write(response, answer);
  count(key, response.statusCode);
}

/** The answer in one piece: the same headers as by the other way, which the tests hold it to. */
function write(response: ServerResponse, answer: PageAnswer): void {
  const { requestId, limits, page, isLast } = answer;
  const { tag, head, encoding, body } = page;
  const headers = (body === null ? UNCHANGED : PAGE).slice();
  headers[SLOT.requestId] = requestId;
  headers[SLOT.tag] = tag;
  const standing = rateLimitHeaders(limits);
  for (let i = SLOT.limits; i < SLOT.length; i += 2) headers[i] = standing[headers[i - 1] ?? ''] ?? '';
  if (body !== null) headers[SLOT.length] = String(body.length);
  if (head !== null) headers.push('Feed-Head', head);
  if (encoding !== 'identity') headers.push('Content-Encoding', encoding);
  if (isLast) headers.push('Connection', 'close');
  response.writeHead(body === null ? 304 : 200, headers);
  response.end(body);
}

const VARY = `${PAGE_HEADERS.Vary}, Accept-Encoding`;
/** Names and values in turn. Those without a value are of each answer, and come first. */
const headersOf = (headers: Readonly<Record<string, string>>): string[] => Object.entries(headers).flat();
const EACH = {
  'X-Request-Id': '',
  ETag: '',
  'RateLimit-Policy': '',
  RateLimit: '',
  'X-RateLimit-Limit': '',
  'X-RateLimit-Remaining': '',
  'X-RateLimit-Reset': '',
};
/** Where the values of each answer go. */
const SLOT = { requestId: 1, tag: 3, limits: 5, length: 15 } as const;
const PAGE = headersOf({
  ...EACH,
  'Content-Length': '',
  ...NO_SNIFFING,
  ...CORS_HEADERS,
  ...PAGE_HEADERS,
  Vary: VARY,
});
const UNCHANGED = headersOf({
  ...EACH,
  ...NO_SNIFFING,
  ...CORS_HEADERS,
  'Cache-Control': PAGE_HEADERS['Cache-Control'],
  Vary: VARY,
});
