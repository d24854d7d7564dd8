import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Admission, AdmitRequest, Admitted } from '../../../application/admit-request.js';
import type { Counters } from '../../../application/ports/counters.js';
import type { ReadFeed } from '../../../application/read-feed.js';
import type { KeyId } from '../../../domain/api-key.js';
import type { FeedQuery } from '../../../domain/feed-query.js';
import type { KeyFormat } from '../../../domain/key-value.js';
import type { Moment } from '../../../domain/moment.js';
import { type Watch, watchAnswer } from '../access-log.js';
import { addressGroup, clientAddress, networkOf } from '../client-address.js';
import type { Compression } from '../compression.js';
import { CORS_HEADERS } from '../cors.js';
import { bearerToken } from '../credential.js';
import { type HandedOver, refunded } from '../gateway.js';
import { rateLimitHeaders } from '../limit-headers.js';
import type { RequestsInHand } from '../overload.js';
import { requestIdOf } from '../request-start.js';
import type { FinishedPage, FinishedPages } from './finished-pages.js';
import { PAGE_HEADERS } from './get-news.js';
import type { NewsQueries } from './news-parameters.js';

const NEWS_PATH = '/pm/v2/news';

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
  readonly trustedProxyHops: number;
  readonly inHand: RequestsInHand;
  readonly isDraining: () => boolean;
  readonly watch: Watch;
  readonly onFault: (fault: unknown) => void;
};

/** The request of a poller: one key in one header, and a query that was read before. */
type Asked = {
  readonly querystring: string;
  readonly query: FeedQuery;
  readonly credential: string;
  readonly address: string;
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
    const asked = isDraining() ? null : whatIsAsked(parts, request);
    if (asked === null || !inHand.enter()) return handler(request, response);
    answer(asked, request, response).catch((fault: unknown) => {
      parts.onFault(fault);
      response.destroy();
    });
  };

  async function answer(asked: Asked, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = requestIdOf(String(request.headers['x-request-id'] ?? ''), watch.redact);
    const startedAt = performance.now();
    const { querystring, address } = asked;
    let key: KeyId | null = null;
    let isOurs = true;
    watchAnswer(watch, response, () =>
      isOurs
        ? { requestId, method: 'GET', route: NEWS_PATH, path: NEWS_PATH, querystring, address, key }
        : null,
    );

    const admission = await admitted(parts, asked);
    if (admission?.admitted) key = admission.key;
    const page = admission?.admitted ? await finishedPage(parts, asked, request) : null;
    if (admission?.admitted && page !== null) {
      await write(parts, response, { requestId, admission, page });
      inHand.leave();
      return;
    }
    inHand.leave();
    if (response.closed) return; // The caller is gone, and that is written down.
    isOurs = false;
    handedOver.set(request, { admission, startedAt });
    handler(request, response);
  }
};

/** Null for whatever is not a poller's request: a second key, a second Host, a body, an unknown query … */
function whatIsAsked(parts: Parts, request: IncomingMessage): Asked | null {
  const { url = '', method, httpVersionMinor } = request;
  if (method !== 'GET' || httpVersionMinor !== 1 || !url.startsWith(NEWS_PATH)) return null;
  if (url.length > NEWS_PATH.length && url[NEWS_PATH.length] !== '?') return null;
  const querystring = url.slice(NEWS_PATH.length + 1);
  const query = parts.queries.remembered(querystring);
  const credential = onlyKey(request.rawHeaders);
  if (query === undefined || credential === null) return null;
  if (parts.keyFormat.recognise(credential) === undefined) return null;
  return { querystring, query, credential, address: clientAddress(request, parts.trustedProxyHops) };
}

/** The one key that the headers hold; null where there are others, or anything that this path does not read. */
function onlyKey(rawHeaders: readonly string[]): string | null {
  let keys = 0;
  let hosts = 0;
  let credential: string | null = null;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const value = rawHeaders[i + 1] ?? '';
    switch (rawHeaders[i]?.toLowerCase()) {
      case 'x-api-key':
        keys += 1;
        credential = value;
        break;
      case 'authorization':
        keys += 1;
        credential = bearerToken(value)[0] ?? null;
        break;
      case 'host':
        hosts += 1;
        break;
      case 'content-length':
      case 'transfer-encoding':
      case 'expect':
      case 'upgrade':
        return null;
    }
  }
  return keys === 1 && hosts === 1 ? credential : null;
}

/** Null where it could not be decided: whoever is asked next meets the same fault, and knows what to say. */
async function admitted({ admitRequest }: Parts, { credential, address }: Asked): Promise<Admission | null> {
  try {
    return await admitRequest({ credential, address: addressGroup(address), network: networkOf(address) });
  } catch {
    return null;
  }
}

/** Null where there is no such page yet in the encoding asked for, or it cannot be read. */
async function finishedPage(parts: Parts, asked: Asked, request: IncomingMessage): Promise<Page | null> {
  const { compression, readFeed, pages } = parts;
  try {
    const { page, head, bytesOf } = await readFeed(asked.query);
    const { body, tag }: FinishedPage = pages.of(page, asked.query.marketId, bytesOf);
    const { 'if-none-match': known, 'accept-encoding': acceptEncoding } = request.headers;
    if (known !== undefined) {
      const isPlain =
        request.headers['cache-control'] === undefined && !('if-modified-since' in request.headers);
      // A list of tags, one of another page, or a caller that wants more than to compare: rare, and read elsewhere.
      return known === tag && isPlain ? { tag, head, encoding: 'identity', body: null } : null;
    }
    const encoding = compression.choose(acceptEncoding as string | undefined, body);
    if (encoding === 'identity') return { tag, head, encoding, body };
    const compressed = compression.kept(encoding, tag);
    return compressed === undefined ? null : { tag, head, encoding, body: compressed };
  } catch {
    return null;
  }
}

/** The answer in one piece: the same headers as by the other way, which the tests hold it to. */
async function write(
  parts: Parts,
  response: ServerResponse,
  { requestId, admission, page }: { requestId: string; admission: Admitted; page: Page },
): Promise<void> {
  const { tag, head, encoding, body } = page;
  const limits = body === null ? await refunded(admission, parts.counters) : admission.limits;
  const headers = (body === null ? UNCHANGED : PAGE).slice();
  headers[1] = requestId;
  headers[3] = tag;
  if (body !== null) headers[5] = String(body.length);
  if (head !== null) headers.push('Feed-Head', head);
  if (encoding !== 'identity') headers.push('Content-Encoding', encoding);
  const standing = rateLimitHeaders(limits);
  for (const name in standing) headers.push(name, standing[name] ?? '');
  if (parts.isDraining()) headers.push('Connection', 'close');
  response.writeHead(body === null ? 304 : 200, headers);
  response.end(body);
}

const VARY = `${PAGE_HEADERS.Vary}, Accept-Encoding`;
/** Names and values in turn; those without a value are of each answer. */
const headersOf = (headers: Readonly<Record<string, string>>): string[] => Object.entries(headers).flat();
const EACH = { 'X-Request-Id': '', ETag: '' };
const PAGE = headersOf({ ...EACH, 'Content-Length': '', ...CORS_HEADERS, ...PAGE_HEADERS, Vary: VARY });
const UNCHANGED = headersOf({
  ...EACH,
  ...CORS_HEADERS,
  'Cache-Control': PAGE_HEADERS['Cache-Control'],
  Vary: VARY,
});
