import type { IncomingMessage } from 'node:http';
import type { FeedQuery } from '../../../domain/feed/feed-query.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import type { ConnectionHashes, SentKey } from '../keys/connection-hashes.js';
import { bearerToken } from '../keys/credential.js';
import { clientAddress } from '../listener/client-address.js';
import type { NewsQueries } from './news-parameters.js';

export const NEWS_PATH = '/pm/v2/news';

/** What nearly all requests are: one key in one header, and a query that was read before. */
export type PollerRequest = {
  readonly querystring: string;
  readonly query: FeedQuery;
  readonly sent: SentKey;
  readonly address: string;
  readonly headers: PollerHeaders;
};

/** The headers that such a request is answered by; one that came twice is joined, as Node joins it. */
type PollerHeaders = {
  credential: string | null;
  requestId: string;
  forwardedFor: string;
  acceptEncoding: string | undefined;
  ifNoneMatch: string | undefined;
  /** The caller says more of what it has than a tag. */
  isMoreThanCompared: boolean;
};

/** Null for whatever is not a poller's request: a second key, a second Host, a body, an unknown query … */
export function readPollerRequest(
  { url = '', method, httpVersionMinor, rawHeaders, socket }: IncomingMessage,
  parts: {
    readonly queries: NewsQueries;
    readonly keyFormat: KeyFormat;
    readonly hashes: ConnectionHashes;
    readonly trustedProxyHops: number;
  },
): PollerRequest | null {
  if (method !== 'GET' || httpVersionMinor !== 1 || !url.startsWith(NEWS_PATH)) return null;
  if (url.length > NEWS_PATH.length && url[NEWS_PATH.length] !== '?') return null;
  const querystring = url.slice(NEWS_PATH.length + 1);
  const query = parts.queries.remembered(querystring);
  const headers = query === undefined ? null : readHeaders(rawHeaders);
  if (query === undefined || headers === null || headers.credential === null) return null;
  const { credential, forwardedFor } = headers;
  const sent = parts.hashes.of(socket, credential, parts.keyFormat);
  if (sent === null) return null;
  const address = clientAddress(socket.remoteAddress, forwardedFor, parts.trustedProxyHops);
  return { querystring, query, sent, address, headers };
}

/** In one pass; null where there is anything that is not read here. */
function readHeaders(rawHeaders: readonly string[]): PollerHeaders | null {
  let keys = 0;
  let hosts = 0;
  const headers: PollerHeaders = {
    credential: null,
    requestId: '',
    forwardedFor: '',
    acceptEncoding: undefined,
    ifNoneMatch: undefined,
    isMoreThanCompared: false,
  };
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const value = rawHeaders[i + 1] ?? '';
    switch (rawHeaders[i]?.toLowerCase()) {
      case 'host':
        hosts += 1;
        break;
      case 'x-api-key':
        keys += 1;
        headers.credential = value;
        break;
      case 'authorization':
        keys += 1;
        headers.credential = bearerToken(value)[0] ?? null;
        break;
      case 'accept-encoding':
        headers.acceptEncoding = joined(headers.acceptEncoding, value);
        break;
      case 'x-request-id':
        headers.requestId = joined(headers.requestId || undefined, value);
        break;
      case 'x-forwarded-for':
        headers.forwardedFor = joined(headers.forwardedFor || undefined, value);
        break;
      case 'if-none-match':
        headers.ifNoneMatch = joined(headers.ifNoneMatch, value);
        break;
      case 'cache-control':
      case 'if-modified-since':
        headers.isMoreThanCompared = true;
        break;
      case 'content-length':
      case 'transfer-encoding':
      case 'expect':
      case 'upgrade':
        return null;
    }
  }
  return keys === 1 && hosts === 1 ? headers : null;
}

const joined = (before: string | undefined, value: string): string =>
  before === undefined ? value : `${before}, ${value}`;
