import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type BatchOutcome, isFreeBatch } from '../../../../domain/feed/stream-batch.js';
import { filterNames } from '../../../../domain/feed/stream-filter.js';
import { streamToken } from '../../../../domain/feed/stream-position.js';
import type { Limit } from '../../../../domain/limits/rate-limit.js';
import { type Takeover, takeoverOf } from '../../../fast-paths/takeover.js';
import { type BatchEnd, BatchSink } from '../../../live/connections/batch-sink.js';
import { type SseForm, SseSink } from '../../../live/connections/sse-sink.js';
import type { EndCause, StreamSink } from '../../../live/connections/stream-sink.js';
import { UnansweredPings } from '../../../live/connections/unanswered-pings.js';
import { WebSocketConnection } from '../../../live/connections/websocket-connection.js';
import { handshake } from '../../../live/connections/websocket-handshake.js';
import { WebSocketSink } from '../../../live/connections/websocket-sink.js';
import { type Batch, batchBody, gzippedBatchBody } from '../../../live/messages/batch-body.js';
import type { PreparedStream, RunningStream } from '../../../live/open-stream.js';
import { isGzipChosen } from '../../answer/compression.js';
import {
  type Problem,
  type ProblemContext,
  problem,
  problemContext,
  writeProblem,
} from '../../answer/problem.js';
import { setFilters } from '../../feed-filters.js';
import { hasQueryKey } from '../../keys/query-key.js';
import { gatewayProblem } from '../../limits/gateway.js';
import { rateLimitHeaders } from '../../limits/limit-headers.js';
import type { LoggedStream, StreamRecord } from '../../logged-stream.js';
import type { Context } from '../../state.js';
import type { StreamQuery } from './stream-parameters.js';
import { readSubscribe } from './subscribe-message.js';

/** A stream that may start, and the request that opened it. */
export type Opened = {
  readonly query: StreamQuery;
  /** The parameters that the stream does not know (D13). */
  readonly ignored: readonly string[];
  readonly prepared: PreparedStream;
};

export type Answered = {
  readonly ctx: Context;
  readonly opened: Opened;
  readonly limits: readonly Limit[];
  /** Gives the permit of the request back. */
  readonly giveBack: () => Promise<void>;
  readonly isDraining: () => boolean;
};

const UNTIL_CLOSED: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // A proxy that compresses would collect messages.
  'Cache-Control': 'no-store, no-transform',
  // nginx would collect messages before it passes them on.
  'X-Accel-Buffering': 'no',
};

/** Answers with Server-Sent Events until the client or the service closes the connection. */
export function startEvents({ ctx, opened, limits }: Answered): void {
  const { res: response } = ctx;
  const takeover = requiredTakeover(ctx);
  const isGzip = isGzipChosen(ctx.headers['accept-encoding']);
  ctx.status = 200;
  ctx.set(UNTIL_CLOSED);
  setFilters(ctx, filterNames(opened.query.filter));
  if (isGzip) ctx.set('Content-Encoding', 'gzip');
  beforeOtherMiddleware(ctx, limits);
  const { socket } = takeover;
  // Header and first message in one write: a restart makes thousands of clients open streams within a second.
  socket.cork();
  response.flushHeaders();
  const { chunkedEncoding: isChunked } = response;
  takeover.accept();
  takeover.ignoreInput();
  runEvents(ctx, opened, socket, { isChunked, isGzip });
  socket.uncork();
}

/** The stream keeps nothing of the request. */
function runEvents({ state }: Context, opened: Opened, socket: Socket, form: SseForm): void {
  const sink = new SseSink(socket, form);
  const stream = opened.prepared.start(sink);
  socket.on('close', () => stream.closed('client'));
  state.stream = openStreamLog(sink, stream, 200, (done) => socket.on('close', done));
}

/** Accepts the upgrade. */
export function startWebSocket({ ctx, opened, limits }: Answered): void {
  const takeover = requiredTakeover(ctx);
  ctx.status = 200; // Counted like an event stream.
  setFilters(ctx, filterNames(opened.query.filter));
  beforeOtherMiddleware(ctx, limits);
  const { socket } = takeover;
  const webSocket = handshake(ctx.req, socket, takeover.accept(), headerLines(ctx.res));
  if (webSocket === null) {
    opened.prepared.abandon();
    return;
  }
  const pings = new UnansweredPings(webSocket);
  const sink = new WebSocketSink(webSocket, socket, pings);
  const stream = opened.prepared.start(sink);
  new WebSocketConnection(webSocket, stream, pings, readSubscribe).start();
  ctx.state.stream = openStreamLog(sink, stream, 101, (done) => webSocket.on('close', done));
}

function requiredTakeover({ req }: Context): Takeover {
  const takeover = takeoverOf(req);
  if (takeover === null) throw new Error('the connection cannot be taken over');
  return takeover;
}

/** Of the headers that other middleware has set, those for the response of a handshake. */
const headerLines = (response: ServerResponse): readonly string[] =>
  Object.entries(response.getHeaders()).map(([name, value]) => `${name}: ${value}`);

/** The connection is not Koa's any more. Other middleware would set these headers after the route. */
function beforeOtherMiddleware(ctx: Context, limits: readonly Limit[]): void {
  ctx.respond = false;
  ctx.set(rateLimitHeaders(limits));
  if (hasQueryKey(ctx.querystring)) ctx.set('Referrer-Policy', 'no-referrer');
}

/** The metrics of a stream are those of opening it: it may last for hours. */
const openStreamLog = (
  sink: StreamSink,
  stream: RunningStream,
  status: number,
  whenClosed: (done: () => void) => void,
): LoggedStream => ({
  measuredUntil: performance.now(),
  open: { status, whenClosed },
  record: () => recordOf(sink, stream, sink.bytes),
});

function recordOf({ form }: StreamSink, { figures }: RunningStream, bytes: number): StreamRecord {
  return { form, bytes, ...figures, position: streamToken(figures.position) };
}

/** Answers with one batch, when it is complete (D58). */
export async function answerBatch(answered: Answered): Promise<void> {
  const { ctx, opened, giveBack, isDraining } = answered;
  const { prepared, query, ignored } = opened;
  const startedAt = performance.now();
  const waitMs = prepared.mayWait && !isDraining() ? query.waitMs : 0;
  const sink = new BatchSink({ limit: query.limit, waitMs });
  const stream = prepared.start(sink);
  ctx.state.stream = {
    measuredUntil: waitMs > 0 ? startedAt : null, // A wait is what the client asked for.
    open: null,
    record: () => recordOf(sink, stream, ctx.length ?? 0),
  };
  ctx.res.prependOnceListener('close', () => sink.destroy());
  const ended = await sink.ended;
  const position = streamToken(stream.figures.position);
  stream.closed('complete');
  const { messages } = sink;
  if (isFreeBatch(outcomeOf(ended, messages.length, stream))) await giveBack();
  if (ended.end === 'complete') {
    const filters = filterNames(query.filter);
    await writeBatch(ctx, { messages, position, more: ended.hasMore, ignored, filters });
  } else writeProblem(ctx, causeProblem(ended.end, problemContext(ctx)));
}

export const outcomeOf = (
  { end, waitedMs }: BatchEnd,
  messages: number,
  { hasLooked }: Pick<RunningStream, 'hasLooked'>,
): BatchOutcome => ({
  problem: end === 'complete' ? null : end === 'unavailable' ? end : 'other',
  messages,
  hasLooked,
  waitedMs,
});

async function writeBatch(ctx: Context, batch: Batch): Promise<void> {
  ctx.set({ 'Cache-Control': 'no-store', 'Content-Type': 'application/json; charset=utf-8' });
  setFilters(ctx, batch.filters);
  const isGzip = batch.messages.length > 0 && isGzipChosen(ctx.headers['accept-encoding']);
  if (isGzip) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isGzip ? await gzippedBatchBody(batch) : batchBody(batch);
}

/** The problem document of an end. */
export function causeProblem(cause: EndCause, context: ProblemContext): Problem {
  if (typeof cause !== 'string') return gatewayProblem(cause, context, null);
  if (cause !== 'restart') return problem(cause, context);
  return problem('unavailable', context, {
    detail: 'This instance is stopping. Reconnect after `retry_after_seconds`.',
  });
}
