import type { GuardAddress } from '../../application/limits/guard-address.js';
import type { PlanName } from '../../domain/billing/plan.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { Limit } from '../../domain/limits/rate-limit.js';
import type { ProblemReferences } from '../http/answer/service-links.js';
import { type AnswerNews, NEWS_PATH } from '../http/feed/answer-news.js';
import type { ReadHistoryPage } from '../http/feed/history/read-history-page.js';
import type { ReadMarketsPage } from '../http/feed/markets/read-markets-page.js';
import type { ReadBatch } from '../http/feed/stream/read-batch.js';
import type { KeepRequest } from '../http/keep-request.js';
import type { SentCredential } from '../http/keys/sent-keys.js';
import { usageJson } from '../http/limits/get-usage.js';
import type { CountRequest } from '../http/limits/request-count.js';
import type { AddressRanges } from '../http/listener/client-address.js';
import { readHeaders } from '../http/read-headers.js';
import type { ApiAnswer, CallApi } from './api.js';

type Parts = {
  readonly answerNews: AnswerNews;
  readonly readBatch: ReadBatch;
  readonly readHistoryPage: ReadHistoryPage;
  readonly readMarketsPage: ReadMarketsPage;
  readonly guardAddress: GuardAddress;
  readonly countRequest: CountRequest;
  /** Keeps each call for the request log of the owner (D74). */
  readonly keep: KeepRequest;
};

/** The request of an agent, which the gateway has admitted without a permit. */
export type AgentRequest = {
  readonly sent: SentCredential;
  readonly address: AddressRanges;
  /** The address of the client. */
  readonly client: string;
  readonly requestId: string;
  readonly references: ProblemReferences;
  readonly admitted: { readonly key: KeyId; readonly plan: PlanName; readonly limits: readonly Limit[] };
  /** Takes the limits for the rate-limit headers, after each request that a tool has made. */
  readonly noteLimits: (limits: readonly Limit[]) => void;
};

const STREAM_PATH = '/pm/v2/stream';
const HISTORY_PATH = '/pm/v2/history';
const MARKETS_PATH = '/pm/v2/markets';
const NO_HEADERS = readHeaders([]);
const WITHOUT_HEADERS = { feedPosition: null, retryAfterSeconds: null };

/**
 * The REST API in this process: the same gateway, permits, refunds and usage as for a request over HTTP, because the same
 * functions answer it.
 */
export const servedApi =
  (parts: Parts) =>
  (request: AgentRequest): CallApi => {
    const calls: Readonly<Record<Parameters<CallApi>[0], (query: string) => Promise<ApiAnswer>>> = {
      [NEWS_PATH]: (query) => news(parts, request, query),
      [STREAM_PATH]: (query) => withoutHeaders(parts, request, parts.readBatch, { path: STREAM_PATH, query }),
      [HISTORY_PATH]: (query) =>
        withoutHeaders(parts, request, parts.readHistoryPage, { path: HISTORY_PATH, query }),
      [MARKETS_PATH]: (query) =>
        withoutHeaders(parts, request, parts.readMarketsPage, { path: MARKETS_PATH, query }),
      '/pm/v2/usage': async () => ({ status: 200, json: usageJson(request.admitted), ...WITHOUT_HEADERS }),
    };
    return (path, query) => calls[path](query);
  };

async function news(parts: Parts, request: AgentRequest, querystring: string): Promise<ApiAnswer> {
  const { sent, address, requestId, noteLimits } = request;
  const requestKey: { key: KeyId | null } = { key: null };
  const asked = { querystring, headers: NO_HEADERS, sent, address, requestId };
  const end = begun(parts, request, { path: NEWS_PATH, query: querystring });
  const { status, headers, body, code, limits } = await parts.answerNews(asked, requestKey);
  noteLimits(limits);
  end({ key: requestKey.key, status, code, bytes: body === null ? 0 : body.length });
  const headerOf = (name: string): string | null => {
    const at = headers.indexOf(name);
    return at === -1 ? null : (headers[at + 1] ?? null);
  };
  return {
    status,
    json: body === null ? null : parsed(body),
    feedPosition: headerOf('Feed-Position'),
    retryAfterSeconds: seconds(headerOf('Retry-After')),
  };
}

/** The answer of a call whose headers tell tools nothing. */
async function withoutHeaders(
  parts: Parts,
  request: AgentRequest,
  read: ReadBatch | ReadHistoryPage | ReadMarketsPage,
  { path, query: querystring }: Call,
): Promise<ApiAnswer> {
  const { sent, address, requestId, references, noteLimits } = request;
  const context = { instance: path, requestId, references };
  const end = begun(parts, request, { path, query: querystring });
  const { key, limits, answer } = await read({ querystring, sent, address, context });
  noteLimits(limits ?? (await parts.guardAddress.peek(address.group)));
  const { status, json, retryAfter, code, bytes } = Buffer.isBuffer(answer)
    ? { status: 200, json: parsed(answer), retryAfter: undefined, code: null, bytes: answer.length }
    : {
        ...{ status: answer.status, json: answer.document, retryAfter: answer.headers['Retry-After'] },
        ...{ code: answer.document.code, bytes: null },
      };
  end({ key, status, code, bytes });
  return { status, json, feedPosition: null, retryAfterSeconds: seconds(retryAfter ?? null) };
}

type Call = { readonly path: string; readonly query: string };
type Ended = {
  readonly key: KeyId | null;
  readonly status: number;
  readonly code: string | null;
  readonly bytes: number | null;
};

/** Begins a call. The result counts it when it has ended, and keeps it for the request log. */
function begun({ countRequest, keep }: Parts, { requestId, client }: AgentRequest, { path, query }: Call) {
  const [startedAt, begunAt] = [countRequest.clock(), performance.now()];
  return ({ key, status, code, bytes }: Ended): void => {
    if (key === null) return;
    countRequest.note(key, status, startedAt);
    const request = { requestId, method: 'GET', path, querystring: query, address: client };
    // The limits are those of the message to `/mcp`.
    keep({ ...request, key, code, bytes, limits: null }, status, performance.now() - begunAt);
  };
}

const seconds = (header: string | null): number | null => (header === null ? null : Number(header));

const parsed = (body: Buffer): unknown => JSON.parse(body.toString('utf8'));
