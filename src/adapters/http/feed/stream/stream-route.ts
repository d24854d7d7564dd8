import { isFreeFault, type Refund } from '../../../../application/limits/refund.js';
import type { KeyFormat } from '../../../../domain/keys/key-value.js';
import { countedStatus } from '../../../../domain/limits/usage.js';
import { isRefusal, type Refusal } from '../../../../domain/refusal.js';
import { takeoverOf } from '../../../fast-paths/takeover.js';
import type { StreamSink } from '../../../live/connections/stream-sink.js';
import { handshakeFault } from '../../../live/connections/websocket-handshake.js';
import type { OpenStream, PreparedStream, StreamRequest } from '../../../live/open-stream.js';
import { type Problem, problem, problemContext, refusalProblem, writeProblem } from '../../answer/problem.js';
import { ignoredIn, setIgnored } from '../../ignored-parameters.js';
import type { SentKey, SentKeys } from '../../keys/sent-keys.js';
import type { AdmitSentKey } from '../../limits/admit-sent-key.js';
import { gatewayProblem } from '../../limits/gateway.js';
import { answerOverloaded } from '../../limits/overload.js';
import { type CountRequest, countAnswered } from '../../limits/request-count.js';
import type { Bulkhead } from '../../listener/bulkhead.js';
import { rangesOf } from '../../listener/client-address.js';
import { readHeaders } from '../../read-headers.js';
import type { Context, RouteHandler } from '../../state.js';
import type { OpeningQueue } from './opening-queue.js';
import {
  type Answered,
  answerBatch,
  causeProblem,
  type Opened,
  startEvents,
  startWebSocket,
} from './stream-answers.js';
import { formOf } from './stream-form.js';
import { LAST_EVENT_ID, LAST_EVENT_IDS, STREAM_KNOWN, streamQuery } from './stream-parameters.js';

type Form = StreamSink['form'];

type Parts = {
  readonly admitSentKey: AdmitSentKey;
  readonly sentKeys: SentKeys;
  readonly refund: Refund;
  /** Limits the admitted requests in progress. An open stream is none, and neither is a batch. */
  readonly working: Bulkhead;
  readonly openStream: OpenStream;
  readonly openings: Pick<OpeningQueue, 'wait'>;
  readonly count: CountRequest;
  readonly keyFormat: KeyFormat;
  readonly isDraining: () => boolean;
  /** Notes a malformed `Last-Event-ID`. */
  readonly noteLostEvents: (requestId: string) => void;
};

/** `GET /pm/v2/stream` in its three forms (D47). Refusals are the same in all of them. */
export function streamRoute(parts: Parts): RouteHandler {
  return async (ctx) => {
    const form = formOf(ctx.req);
    ctx.set('Vary', 'Authorization, X-API-Key, Accept, Accept-Encoding');
    // An `EventSource` gives up for good on any status but 200; without an answer it connects again (D54).
    if (form === 'sse' && parts.isDraining()) return withoutAnswer(ctx);
    const fault = form === 'websocket' ? handshakeFault(ctx.req) : null;
    if (fault !== null) return refuseHandshake(ctx, fault);
    // A request that may take its connection over has waited (`opening-listener.ts`).
    if (takeoverOf(ctx.req) === null) await parts.openings.wait();
    await answer(parts, ctx, form);
  };
}

/** `GET /pm/v2/changes`: a batch, whatever the request accepts (D58). */
export function changesRoute(parts: Parts): RouteHandler {
  return async (ctx) => {
    ctx.set('Vary', 'Authorization, X-API-Key, Accept-Encoding');
    await parts.openings.wait();
    await answer(parts, ctx, 'batch');
  };
}

/** The gateway comes first (D18). A stream that opens takes a permit (D51). */
async function answer(parts: Parts, ctx: Context, form: Form): Promise<void> {
  const { req: request, state, querystring } = ctx;
  const headers = readHeaders(request.rawHeaders);
  const sent = parts.sentKeys.of(request.socket, headers, querystring, form === 'websocket');
  const startedAt = parts.count.clock();
  const admission = await parts.admitSentKey(sent, rangesOf(state.address), 1);
  if (admission === 'overloaded') return answerOverloaded(ctx);
  state.key = admission.key;
  state.limits = admission.limits;
  const ignored = state.key === null ? [] : ignoredIn(querystring, STREAM_KNOWN, parts.keyFormat);
  setIgnored(ctx, ignored);
  let isFree = false;
  if (admission.admitted) {
    const { hash } = sent as SentKey; // An admitted key was recognised.
    isFree = await answerAdmitted(parts, ctx, { form, hash, admitted: admission, ignored });
  } else {
    const carried = { headers, querystring };
    writeProblem(ctx, gatewayProblem(admission.refusal, problemContext(ctx), carried));
  }
  countAnswered(parts.count, ctx.res, state.key, countedStatus(ctx.status, isFree), startedAt);
}

function withoutAnswer(ctx: Context): void {
  ctx.respond = false;
  ctx.req.socket.destroy();
}

const HANDSHAKE = {
  version: { status: 426, detail: 'The service supports version 13 of WebSocket only.' },
  key: { status: 400, detail: 'Sec-WebSocket-Key must have 16 bytes in base64.' },
} as const;

/** RFC 6455, 4.4, and RFC 9110, 15.5.22. */
function refuseHandshake(ctx: Context, fault: keyof typeof HANDSHAKE): void {
  const { status, detail } = HANDSHAKE[fault];
  writeProblem(ctx, problem('bad_request', problemContext(ctx), { detail }, status));
  if (fault !== 'version') return;
  ctx.set({ 'Sec-WebSocket-Version': '13', Upgrade: 'websocket', Connection: 'close, upgrade' });
}

type Asked = Pick<StreamRequest, 'form' | 'hash' | 'admitted' | 'ignored'>;

/** A stream that does not open costs nothing, unless the store was asked and did not answer in time (D34, D51). Returns whether it was free. */
async function answerAdmitted(parts: Parts, ctx: Context, asked: Asked): Promise<boolean> {
  let isFree = false;
  const giveBack = async () => {
    isFree = true;
    ctx.state.limits = await parts.refund(asked.admitted);
  };
  let opened: Opened | Problem;
  try {
    opened = await open(parts, ctx, asked);
  } catch (fault) {
    if (isFreeFault(fault)) await giveBack();
    throw fault;
  }
  if ('status' in opened) {
    await giveBack();
    writeProblem(ctx, opened);
  } else if (!ctx.req.socket.writable) {
    opened.prepared.abandon();
    await giveBack();
  } else await start(parts, asked, { ctx, opened, limits: asked.admitted.limits, giveBack });
  return isFree;
}

async function start(
  { sentKeys, isDraining }: Parts,
  { form }: Asked,
  answered: Omit<Answered, 'isDraining'>,
): Promise<void> {
  const { ctx, giveBack } = answered;
  try {
    await START[form]({ ...answered, isDraining });
    if (form !== 'batch') sentKeys.forget(ctx.req.socket);
  } catch (fault) {
    // The response has taken the connection over: nobody else closes it.
    if (ctx.respond === false) {
      ctx.req.socket.destroy();
      await giveBack();
    }
    throw fault;
  }
}

const START = { sse: startEvents, websocket: startWebSocket, batch: answerBatch } as const;

/** Opens the stream that the request asks for, or returns why not. */
async function open(parts: Parts, ctx: Context, asked: Asked): Promise<Opened | Problem> {
  const context = problemContext(ctx);
  const lastEventId = ctx.get(LAST_EVENT_ID);
  const query = streamQuery(ctx.querystring, lastEventId, asked.form === 'batch');
  if (isRefusal(query)) {
    const isLost = query.faults.some(({ parameter }) => LAST_EVENT_IDS.includes(parameter));
    if (isLost) parts.noteLostEvents(context.requestId);
    return refusalProblem(query, context);
  }
  const { start, filter, isResumed } = query;
  const { requestId } = context;
  const problemOf: StreamRequest['problemOf'] = (cause) => causeProblem(cause, context);
  const { address: source, subnet } = rangesOf(ctx.state.address);
  const prepared = await openBounded(parts, subnet, {
    ...asked,
    source,
    start,
    filter,
    isResumed,
    requestId,
    problemOf,
  });
  if (typeof prepared === 'string' || isRefusal(prepared)) return causeProblem(prepared, context);
  return { query, ignored: asked.ignored, prepared };
}

/**
 * A batch is not in progress while it is opened: it counts in `STREAMS_MAX`, as while it waits (D58), and what it reads is
 * read once for all batches. Otherwise the batches of one key that begin at the same moment would refuse other requests.
 */
async function openBounded(
  { working, openStream }: Parts,
  subnet: string,
  request: StreamRequest,
): Promise<PreparedStream | Refusal | 'overloaded' | 'restart'> {
  if (request.form === 'batch') return openStream(request);
  if (!working.enter(subnet)) return 'overloaded';
  try {
    return await openStream(request);
  } finally {
    working.leave(subnet);
  }
}
