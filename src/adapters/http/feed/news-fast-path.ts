import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Admission, AdmitRequest } from '../../../application/admit-request.js';
import type { Counters } from '../../../application/ports/counters.js';
import type { FeedReading, ReadFeed } from '../../../application/read-feed.js';
import type { KeyId } from '../../../domain/api-key.js';
import type { KeyFormat } from '../../../domain/key-value.js';
import type { Moment } from '../../../domain/moment.js';
import type { Limit } from '../../../domain/rate-limit.js';
import { type Watch, watchAnswer } from '../access-log.js';
import { addressGroup, networkOf } from '../client-address.js';
import type { Compression } from '../compression.js';
import type { ConnectionHashes } from '../connection-hashes.js';
import { CORS_HEADERS } from '../cors.js';
import { type HandedOver, refunded } from '../gateway.js';
import { rateLimitHeaders } from '../limit-headers.js';
import type { RequestsInHand } from '../overload.js';
import type { CountRequest } from '../request-count.js';
import { requestIdOf } from '../request-start.js';
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
  readonly inHand: RequestsInHand;
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
  const { handler, handedOver, inHand, isDraining, watch } = parts;

  return (request, response) => {
    const asked = isDraining() ? null : readPollerRequest(request, parts);
    if (asked === null || !inHand.enter()) return handler(request, response);
    answer(asked, request, response).catch((fault: unknown) => {
      parts.onFault(fault);
      response.destroy();
    });
  };

  async function answer(
    asked: PollerRequest,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const startedAt = performance.now();
    const { querystring, address } = asked;
    const requestId = requestIdOf(asked.headers.requestId, watch.redact);
    let key: KeyId | null = null;
    let isOurs = true;
    watchAnswer(watch, response, () =>
      isOurs
        ? { requestId, method: 'GET', route: NEWS_PATH, path: NEWS_PATH, querystring, address, key }
        : null,
    );

    let admission: Admission | null = null;
    let page: Page | null = null;
    try {
      const [group, network] = [addressGroup(address), networkOf(address)];
      const { credential, hash } = asked;
      admission = await parts.admitRequest({ credential, hash, address: group, network });
      key = admission.key;
      if (admission.admitted) {
        page = finishedPage(parts, asked, await parts.readFeed(asked.query));
      }
    } catch {
      // Who is asked next meets the same fault, and knows what to say.
    }
    inHand.leave();
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

/** Null where there is no such page yet in the encoding asked for. */
function finishedPage(parts: Parts, { query, headers }: PollerRequest, reading: FeedReading): Page | null {
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
const PAGE = headersOf({ ...EACH, 'Content-Length': '', ...CORS_HEADERS, ...PAGE_HEADERS, Vary: VARY });
const UNCHANGED = headersOf({
  ...EACH,
  ...CORS_HEADERS,
  'Cache-Control': PAGE_HEADERS['Cache-Control'],
  Vary: VARY,
});
