import type { CountFreeCall } from '../../application/limits/count-free-call.js';
import type { KeyFormat } from '../../domain/keys/key-value.js';
import { mediaType } from '../http/answer/body.js';
import type { ReportFault } from '../http/answer/faults.js';
import { answerProblem, type Problem, problemContext, writeProblem } from '../http/answer/problem.js';
import { readHistoryPage } from '../http/feed/history/read-history-page.js';
import { readMarketsPage } from '../http/feed/markets/read-markets-page.js';
import { readBatch } from '../http/feed/stream/read-batch.js';
import type { SentCredential, SentKeys } from '../http/keys/sent-keys.js';
import { gatewayProblem } from '../http/limits/gateway.js';
import { answerOverloaded } from '../http/limits/overload.js';
import { rangesOf } from '../http/listener/client-address.js';
import type { McpHandlers } from '../http/public-api.js';
import { readHeaders } from '../http/read-headers.js';
import type { Context, Middleware, RouteHandler } from '../http/state.js';
import { isOwnSource } from './own-source.js';
import { serveJsonRpc } from './serve-json-rpc.js';
import { type AgentRequest, servedApi } from './served-api.js';

type Parts = Omit<Parameters<typeof servedApi>[0], 'readBatch' | 'readHistoryPage' | 'readMarketsPage'> &
  Parameters<typeof readBatch>[0] &
  Parameters<typeof readHistoryPage>[0] &
  Parameters<typeof readMarketsPage>[0] & {
    readonly sentKeys: SentKeys;
    readonly countFreeCall: CountFreeCall;
    readonly keyFormat: KeyFormat;
    readonly publicAddress: { readonly url: () => string };
    readonly version: string;
    readonly report: ReportFault;
  };

/** The MCP server at `/mcp`, for the spec 2026-07-28 and 2025-11-25. It keeps no session: each request is complete. */
export function mcpHandlers(parts: Parts): McpHandlers {
  const { sentKeys, admitSentKey, publicAddress } = parts;
  const sentBy = (ctx: Context): SentCredential => {
    // Agents send the key as a bearer token only: other carriers end up in configurations and logs.
    const { authorizations } = readHeaders(ctx.req.rawHeaders);
    return sentKeys.of(ctx.req.socket, { apiKeys: null, authorizations }, '');
  };
  const gateway: Middleware = async (ctx, next) => {
    const admission = await admitSentKey(sentBy(ctx), rangesOf(ctx.state.address), 0);
    if (admission === 'overloaded') return answerOverloaded(ctx);
    const { state } = ctx;
    state.limits = admission.limits;
    state.key = admission.key;
    if (!admission.admitted)
      return writeProblem(ctx, forBearers(gatewayProblem(admission.refusal, problemContext(ctx), null)));
    state.subscription = admission.subscription;
    state.plan = admission.plan;
    await next();
  };
  return { ownSource: ownSource(publicAddress), gateway, json: onlyJson, answer: answer(parts, sentBy) };
}

/** Refuses requests of foreign web pages, before their key is read. */
const ownSource =
  (publicAddress: Parts['publicAddress']): Middleware =>
  (ctx, next) => {
    const { host, origin } = ctx.req.headers;
    if (isOwnSource({ host, origin }, new URL(publicAddress.url()).hostname)) return next();
    answerProblem(ctx, 'source_not_allowed');
  };

const onlyJson: Middleware = (ctx, next) => {
  if (mediaType(ctx, ['application/json']) !== null) return next();
};

/** The other carriers of keys are not for agents. */
const forBearers = (refused: Problem): Problem =>
  refused.document.code === 'key_missing'
    ? {
        ...refused,
        document: { ...refused.document, detail: 'Send the key as `Authorization: Bearer <key>`.' },
      }
    : refused;

function answer(parts: Parts, sentBy: (ctx: Context) => SentCredential): RouteHandler {
  const apiOf = servedApi({
    answerNews: parts.answerNews,
    readBatch: readBatch(parts),
    readHistoryPage: readHistoryPage(parts),
    readMarketsPage: readMarketsPage(parts),
    guardAddress: parts.guardAddress,
    countRequest: parts.countRequest,
    keep: parts.keep,
  });
  const { report, version, countFreeCall } = parts;
  const whyNotServed = async (ctx: Context): Promise<Problem | null> => {
    const { subscription } = ctx.state;
    const refusal = subscription === null ? null : await countFreeCall(subscription);
    return refusal === null ? null : gatewayProblem(refusal, problemContext(ctx), null);
  };
  const serve = serveJsonRpc({ report, version, whyNotServed });
  return async (ctx) => {
    ctx.set({ 'Cache-Control': 'no-store', Vary: 'Authorization' });
    if (ctx.state.body === 'too large') {
      ctx.set('Connection', 'close');
      return answerProblem(ctx, 'payload_too_large');
    }
    await serve(ctx, ctx.state.body ?? Buffer.alloc(0), apiOf(agentRequest(ctx, sentBy(ctx))));
  };
}

function agentRequest({ state }: Context, sent: SentCredential): AgentRequest {
  const { key, plan, limits, requestId, references } = state;
  if (key === null || plan === null || limits === null)
    throw new Error('the gateway has not admitted this request');
  return {
    sent,
    requestId,
    references,
    admitted: { key, plan, limits },
    address: rangesOf(state.address),
    client: state.address,
    noteLimits: (now) => {
      state.limits = now;
    },
  };
}
