import { pipeline, type Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { ReadHistory } from '../../../../application/feed/read-history.js';
import type { Admitted } from '../../../../application/limits/admit-request.js';
import type { TakeReplayPermit } from '../../../../application/limits/take-replay-permit.js';
import { CONTINUE_AFTER, type ExportEnd } from '../../../../domain/feed/history/export-end.js';
import { type Position, positionToken } from '../../../../domain/feed/position.js';
import { filterNames } from '../../../../domain/feed/stream-filter.js';
import { isRefusal, type Refusal, refuse } from '../../../../domain/refusal.js';
import { isGzipChosen } from '../../answer/compression.js';
import {
  type Problem,
  type ProblemContext,
  problem,
  problemContext,
  refusalProblem,
  statusOf,
} from '../../answer/problem.js';
import { setFilters } from '../../feed-filters.js';
import type { SentKey } from '../../keys/sent-keys.js';
import { gatewayProblem } from '../../limits/gateway.js';
import { type PaidRouteParts, paidRoute } from '../../limits/paid-route.js';
import { rangesOf } from '../../listener/client-address.js';
import type { Context, RouteHandler } from '../../state.js';
import type { HistoryExports } from './history-exports.js';
import { HISTORY_KNOWN, historyQuery } from './history-parameters.js';
import { historyPageOf } from './read-history-page.js';

type Parts = PaidRouteParts & {
  readonly takeReplayPermit: TakeReplayPermit;
  readonly readHistory: Pick<ReadHistory, 'range' | 'page'>;
  readonly historyExports: Pick<HistoryExports, 'open'>;
};

const NDJSON = 'application/x-ndjson';
const CALL = { known: HISTORY_KNOWN, vary: 'Authorization, X-API-Key, Accept' };
/** No place in this process, or another export of the subscription. */
const NOT_STARTED: readonly number[] = [statusOf('overloaded'), statusOf('too_many_reads')];

/**
 * `GET /pm/v2/history`: the changes of the feed with their items, as pages or as lines (D61). An export that does not start is free.
 */
export const historyRoute = (parts: Parts): RouteHandler =>
  paidRoute(parts, CALL, async (ctx, admitted, { hash }) => {
    const refused = await answer(parts, ctx, admitted, hash);
    return refused === null ? null : { problem: refused, isFree: NOT_STARTED.includes(refused.status) };
  });

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
  const filters = filterNames(query.filter);
  ctx.set('Cache-Control', 'private, no-cache');
  if (ctx.accepts('application/json', NDJSON) !== NDJSON) {
    ctx.body = await historyPageOf(parts, admitted, query, range);
    ctx.type = 'application/json; charset=utf-8';
    setFilters(ctx, filters);
    return null;
  }
  const { socket } = ctx.req;
  const lines = await parts.historyExports.open({
    admitted,
    hash,
    source: rangesOf(ctx.state.address).address,
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
  setFilters(ctx, filters);
  if (isGzip) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isGzip ? compressed(lines) : lines;
  // A response without a body never reads the lines.
  ctx.res.once('close', () => lines.destroy());
  return null;
}

/** Each chunk of lines is sent at once: otherwise zlib would keep a few short lines until the end. */
const GZIP = { level: 1, flush: constants.Z_SYNC_FLUSH };

/** Lines that break off destroy the compressed ones with their fault, and those the response. `pipe` would do neither. */
const compressed = (lines: Readable): Readable => pipeline(lines, createGzip(GZIP), () => {});

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
