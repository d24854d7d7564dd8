import { pipeline, type Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { ReadHistory } from '../../../../application/feed/read-history.js';
import type { Admitted } from '../../../../application/limits/admit-request.js';
import { isFreeFault, type Refund } from '../../../../application/limits/refund.js';
import type { TakeReplayPermit } from '../../../../application/limits/take-replay-permit.js';
import { CONTINUE_AFTER, type ExportEnd } from '../../../../domain/feed/history/export-end.js';
import { type Position, positionToken } from '../../../../domain/feed/position.js';
import { isRefusal, type Refusal, refuse } from '../../../../domain/refusal.js';
import { isGzipChosen } from '../../answer/compression.js';
import {
  type Problem,
  type ProblemContext,
  problem,
  problemContext,
  refusalProblem,
  statusOf,
  writeProblem,
} from '../../answer/problem.js';
import type { SentKey, SentKeys } from '../../keys/sent-keys.js';
import type { AdmitSentKey } from '../../limits/admit-sent-key.js';
import { gatewayProblem } from '../../limits/gateway.js';
import { answerOverloaded } from '../../limits/overload.js';
import { type CountRequest, countAnswered } from '../../limits/request-count.js';
import type { Bulkhead } from '../../listener/bulkhead.js';
import { rangesOf } from '../../listener/client-address.js';
import { readHeaders } from '../../read-headers.js';
import type { Context, RouteHandler } from '../../state.js';
import { historyPageJson } from './change-json.js';
import type { HistoryExports } from './history-exports.js';
import { type HistoryQuery, historyQuery } from './history-parameters.js';

type Parts = {
  readonly admitSentKey: AdmitSentKey;
  readonly sentKeys: SentKeys;
  readonly refund: Refund;
  readonly takeReplayPermit: TakeReplayPermit;
  /** Limits the admitted requests in progress. */
  readonly working: Bulkhead;
  readonly readHistory: Pick<ReadHistory, 'range' | 'page'>;
  readonly historyExports: Pick<HistoryExports, 'open'>;
  readonly count: CountRequest;
};

const NDJSON = 'application/x-ndjson';
/** No place in this process, or another export of the subscription. */
const NOT_STARTED: readonly number[] = [statusOf('overloaded'), statusOf('too_many_reads')];

/** `GET /pm/v2/history`: the changes of the feed with their items, as pages or as lines (D61). */
export const historyRoute =
  (parts: Parts): RouteHandler =>
  async (ctx) => {
    const { req: request, state, querystring } = ctx;
    // The compression of pages adds `Accept-Encoding`.
    ctx.set('Vary', 'Authorization, X-API-Key, Accept');
    const headers = readHeaders(request.rawHeaders);
    const sent = parts.sentKeys.of(request.socket, headers, querystring);
    const admission = await parts.admitSentKey(sent, rangesOf(state.address), 1);
    if (admission === 'overloaded') return answerOverloaded(ctx);
    state.key = admission.key;
    state.limits = admission.limits;
    if (admission.admitted) await answerAdmitted(parts, ctx, admission, sent as SentKey);
    else writeProblem(ctx, gatewayProblem(admission.refusal, problemContext(ctx), { headers, querystring }));
    countAnswered(parts.count, ctx.res, state.key, ctx.status);
  };

/** What was asked of the store costs its permit, also if it did not answer in time (D34). An export that does not start is free. */
async function answerAdmitted(
  parts: Parts,
  ctx: Context,
  admitted: Admitted,
  { hash }: SentKey,
): Promise<void> {
  const { subnet } = rangesOf(ctx.state.address);
  const giveBack = async () => {
    ctx.state.limits = await parts.refund(admitted);
  };
  if (!parts.working.enter(subnet)) {
    await giveBack();
    return answerOverloaded(ctx);
  }
  try {
    const refused = await answer(parts, ctx, admitted, hash);
    if (refused === null) return;
    if (NOT_STARTED.includes(refused.status)) await giveBack();
    writeProblem(ctx, refused);
  } catch (fault) {
    if (isFreeFault(fault)) await giveBack();
    throw fault;
  } finally {
    parts.working.leave(subnet);
  }
}

/** The problem, or null if the answer is written. */
async function answer(
  parts: Parts,
  ctx: Context,
  admitted: Admitted,
  hash: SentKey['hash'],
): Promise<Problem | null> {
  const context = problemContext(ctx);
  const query = historyQuery(ctx.querystring);
  if (isRefusal(query)) return refusalProblem(query, context);
  const range = await parts.readHistory.range(query.bounds);
  if (isRefusal(range)) return refusalProblem(range, context);
  ctx.set('Cache-Control', 'private, no-cache');
  if (ctx.accepts('application/json', NDJSON) !== NDJSON) {
    await writePage(parts, ctx, admitted, { query, range });
    return null;
  }
  const { socket } = ctx.req;
  const lines = await parts.historyExports.open({
    admitted,
    hash,
    range,
    filter: query.filter,
    isResumed: query.bounds.from !== null && 'after' in query.bounds.from,
    accepted: () => socket.bytesWritten - socket.writableLength,
    pausedLine: (position, why) => pausedLine(position, why, context),
    completeLine: (position) => JSON.stringify({ type: 'complete', position: positionToken(position) }),
  });
  if (lines === 'overloaded') return problem('overloaded', context);
  if (lines === 'too_many_reads') return refusalProblem(refuse('too_many_reads'), context);
  const isGzip = isGzipChosen(ctx.headers['accept-encoding']);
  ctx.set('Content-Type', NDJSON);
  if (isGzip) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isGzip ? compressed(lines) : lines;
  // A response without a body never reads the lines.
  ctx.res.once('close', () => lines.destroy());
  return null;
}

/** Lines that break off destroy the compressed ones with their fault, and those the response. `pipe` would do neither. */
const compressed = (lines: Readable): Readable => pipeline(lines, createGzip({ level: 1 }), () => {});

type Asked = {
  readonly query: HistoryQuery;
  readonly range: Parameters<Parts['readHistory']['page']>[0];
};

async function writePage(
  { readHistory, takeReplayPermit }: Parts,
  ctx: Context,
  { subscription: id, plan }: Admitted,
  { query: { filter, limit }, range }: Asked,
): Promise<void> {
  const takePermit = async () => (await takeReplayPermit({ id, plan })) === 'granted';
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = historyPageJson(await readHistory.page(range, filter, limit, takePermit));
}

/** The last line of an export that ends before its range. `problem` is null if the client need only continue. */
function pausedLine(position: Position, why: ExportEnd | Refusal, context: ProblemContext): string {
  const line = (seconds: number | null, reason: object | null) =>
    JSON.stringify({
      type: 'paused',
      position: positionToken(position),
      retry_after_seconds: seconds,
      problem: reason,
    });
  if (typeof why === 'string') {
    const reason = why === 'unavailable' ? problem(why, context).document : null;
    return line(CONTINUE_AFTER[why], reason);
  }
  const { headers, document } = gatewayProblem(why, context, null);
  const seconds = headers['Retry-After'];
  return line(seconds === undefined ? null : Number(seconds), document);
}
