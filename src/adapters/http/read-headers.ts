/**
 * The request headers that routes with a key read. These routes get no other headers. A header that can carry a key has
 * the list of all its values (T4), null if it is absent. Other repeated headers are joined, as Node joins them.
 */
export type ReadHeaders = {
  apiKeys: string[] | null;
  authorizations: string[] | null;
  requestId: string | undefined;
  traceParent: string | undefined;
  forwardedFor: string | undefined;
  acceptEncoding: string | undefined;
  ifNoneMatch: string | undefined;
  cacheControl: string | undefined;
};

const NAMES = [
  'x-api-key',
  'authorization',
  'x-request-id',
  'traceparent',
  'x-forwarded-for',
  'accept-encoding',
  'if-none-match',
  'cache-control',
] as const;

/**
 * Whether one of `NAMES` has this length. Most headers of a browser do not, and are skipped without a comparison of
 * names.
 */
const HAS_LENGTH_OF_A_NAME: readonly boolean[] = Array.from({ length: 18 }, (_, length) =>
  NAMES.some((name) => name.length === length),
);

/** Reads `IncomingMessage.rawHeaders` in one pass: names and values alternate, names in any letter case. */
export function readHeaders(rawHeaders: readonly string[]): ReadHeaders {
  const headers: ReadHeaders = {
    apiKeys: null,
    authorizations: null,
    requestId: undefined,
    traceParent: undefined,
    forwardedFor: undefined,
    acceptEncoding: undefined,
    ifNoneMatch: undefined,
    cacheControl: undefined,
  };
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (HAS_LENGTH_OF_A_NAME[name.length]) read(headers, name.toLowerCase(), rawHeaders[i + 1] ?? '');
  }
  return headers;
}

function read(headers: ReadHeaders, name: string, value: string): void {
  switch (name as (typeof NAMES)[number]) {
    case 'x-api-key':
      headers.apiKeys = listed(headers.apiKeys, value);
      break;
    case 'authorization':
      headers.authorizations = listed(headers.authorizations, value);
      break;
    case 'x-request-id':
      headers.requestId = joined(headers.requestId, value);
      break;
    case 'traceparent':
      headers.traceParent = joined(headers.traceParent, value);
      break;
    case 'x-forwarded-for':
      headers.forwardedFor = joined(headers.forwardedFor, value);
      break;
    case 'accept-encoding':
      headers.acceptEncoding = joined(headers.acceptEncoding, value);
      break;
    case 'if-none-match':
      headers.ifNoneMatch = joined(headers.ifNoneMatch, value);
      break;
    case 'cache-control':
      headers.cacheControl = joined(headers.cacheControl, value);
      break;
  }
}

/** Appends to the same array, because a header can be repeated thousands of times. */
function listed(before: string[] | null, value: string): string[] {
  if (before === null) return [value];
  before.push(value);
  return before;
}

const joined = (before: string | undefined, value: string): string =>
  before === undefined ? value : `${before}, ${value}`;
