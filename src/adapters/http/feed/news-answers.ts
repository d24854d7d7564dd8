import type { PositionToken } from '../../../domain/feed/position.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import type { Moment } from '../../../domain/moment.js';
import { CORS_HEADERS } from '../answer/cors.js';
import type { Problem, ProblemCode } from '../answer/problem.js';
import { FEED_FILTERS } from '../feed-filters.js';
import { IGNORED_PARAMETERS } from '../ignored-parameters.js';
import { rateLimitHeaders } from '../limits/limit-headers.js';
import { NO_SNIFFING } from '../listener/request-start.js';

/**
 * A finished response. Names and values of the headers alternate in one array, because Node writes this form fastest.
 */
export type NewsAnswer = {
  readonly status: number;
  readonly headers: string[];
  readonly body: Buffer | null;
  /** That of the problem document; null for a page. */
  readonly code: ProblemCode | null;
  /** The limits that its rate-limit headers state. */
  readonly limits: readonly Limit[];
};

/** A response without its rate-limit headers. They depend on whether the permit is refunded. */
export type Draft = {
  readonly status: number;
  readonly headers: string[];
  readonly body: Buffer | null;
  readonly code: ProblemCode | null;
  /** Whether the permit is refunded (D34). */
  readonly isRefunded: boolean;
};

const flattened = (headers: Readonly<Record<string, string>>): string[] => Object.entries(headers).flat();

const COMMON_HEADERS = flattened({ ...NO_SNIFFING, ...CORS_HEADERS });
const PAGE_HEADERS = [
  ...COMMON_HEADERS,
  ...flattened({ 'Cache-Control': 'private, no-cache', Vary: 'Authorization, X-API-Key, Accept-Encoding' }),
];

/** The values of the headers of 200 and 304 (D8, D36, D44). */
type PageHeaders = {
  readonly requestId: string;
  readonly tag: string;
  readonly head: Moment | null;
  readonly position: PositionToken;
  /** Whether the request had `as_of`: the position is that of the change that the page was read at (D60). */
  readonly isOfThePast: boolean;
};

/** 200, with the body in this encoding. */
export function pageAnswer(page: PageHeaders, body: Buffer, encoding: 'identity' | 'br' | 'gzip'): Draft {
  const headers = pageHeaders(page);
  headers.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(body.length));
  if (encoding !== 'identity') headers.push('Content-Encoding', encoding);
  return { status: 200, headers, body, code: null, isRefunded: false };
}

/** 304: the client has the page already. It is free only if the page was in memory, so that it cost nothing (D34). */
export const unchangedAnswer = (page: PageHeaders, wasInMemory: boolean): Draft => ({
  status: 304,
  headers: pageHeaders(page),
  body: null,
  code: null,
  isRefunded: wasInMemory,
});

function pageHeaders({ requestId, tag, head, position, isOfThePast }: PageHeaders): string[] {
  const headers = PAGE_HEADERS.slice();
  headers.push('X-Request-Id', requestId, 'ETag', tag, 'Feed-Position', position);
  if (head !== null) headers.push('Feed-Head', head);
  if (isOfThePast) headers.push('Feed-As-Of', position);
  return headers;
}

/** A refusal or an error of the service. */
export function problemAnswer(
  requestId: string,
  { status, headers, document }: Problem,
  isRefunded: boolean,
): Draft {
  const body = Buffer.from(JSON.stringify(document));
  const length = String(body.length);
  return {
    status,
    headers: [...COMMON_HEADERS, 'X-Request-Id', requestId, 'Content-Length', length, ...flattened(headers)],
    body,
    code: document.code,
    isRefunded,
  };
}

/** What an answer says about the parameters of the request. */
export type ParameterNames = {
  /** Those that the page does not know (D13); none if no key is known. */
  readonly ignored: readonly string[];
  /** The filters, which an answer with a page has honoured (D65). */
  readonly filters: readonly string[];
};

const NO_NAMES: ParameterNames = { ignored: [], filters: [] };

export function finished(
  { status, headers, body, code }: Draft,
  limits: readonly Limit[],
  { ignored, filters }: ParameterNames = NO_NAMES,
): NewsAnswer {
  const limitHeaders = rateLimitHeaders(limits);
  for (const name in limitHeaders) headers.push(name, limitHeaders[name] ?? '');
  if (ignored.length > 0) headers.push(IGNORED_PARAMETERS, ignored.join(', '));
  if (filters.length > 0 && status < 400) headers.push(FEED_FILTERS, filters.join(', '));
  return { status, headers, body, code, limits };
}
