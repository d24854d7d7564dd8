import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import getRawBody from 'raw-body';
import { answerProblem } from '../answer/problem.js';
import type { Context, Middleware, ReceivedBody } from '../state.js';
import { subnetOf } from './client-address.js';
import type { UnfinishedBodies } from './unfinished-bodies.js';
import { drain } from './unread-body.js';

export type ReceivedBodyLimits = {
  readonly bytesMax: number;
  /** A larger body is read and discarded up to this size, so that its sender can read the response. */
  readonly drainedMax: number;
};

const LATE = Symbol('late');

/**
 * Receives the body before the request counts as in progress (T20). A client that delays its body therefore uses only
 * the limit on unfinished bodies. A body that takes too long gets 408, and its connection is closed.
 */
export const receiveBody =
  (parts: ReceivedBodyLimits & { readonly unfinished: UnfinishedBodies }): Middleware =>
  async (ctx, next) => {
    const { req: request, state } = ctx;
    if (ctx.method !== 'POST') return next();
    closeTinyChunks(request);
    const end = parts.unfinished.begin(subnetOf(state.address), () => request.socket.destroy());
    const timer = deadline(parts.unfinished.deadlineMs);
    try {
      const body = await Promise.race([received(ctx, parts), timer.passed]);
      if (body === LATE) return answerTooSlow(ctx);
      state.body = body;
    } finally {
      timer.clear();
      end();
    }
    return next();
  };

async function received(ctx: Context, { bytesMax, drainedMax }: ReceivedBodyLimits): Promise<ReceivedBody> {
  try {
    return await getRawBody(ctx.req, { limit: bytesMax });
  } catch (fault) {
    if ((fault as { readonly type?: string }).type !== 'entity.too.large') throw fault;
    await drain(ctx.req, drainedMax);
    return 'too large';
  }
}

/**
 * The first chunks of a body may have any size. After this number of chunks, their average size must be at least
 * `CHUNK_BYTES_MIN`.
 */
const TINY_CHUNKS_MAX = 256;
const CHUNK_BYTES_MIN = 64;

/**
 * Closes a connection that sends tiny chunks. The event loop needs the same time for a chunk of any size: 256 KB in
 * chunks of one byte take half a second.
 */
function closeTinyChunks(request: IncomingMessage): void {
  let chunks = 0;
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    chunks += 1;
    bytes += chunk.length;
    if (chunks > TINY_CHUNKS_MAX && bytes < chunks * CHUNK_BYTES_MIN) request.destroy();
  });
}

/**
 * After a pause of the process, timers fire before sockets are read (T17). Therefore the event loop reads the sockets
 * once more before the body counts as too late.
 */
function deadline(ms: number) {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<typeof LATE>((done) => {
    timer = setTimeout(async () => {
      await setImmediate();
      await setImmediate();
      done(LATE);
    }, ms);
  });
  return { passed, clear: () => clearTimeout(timer) };
}

function answerTooSlow(ctx: Context): void {
  ctx.set('Connection', 'close');
  const detail = 'The body did not arrive in time. Send the request again.';
  answerProblem(ctx, 'bad_request', { detail }, 408);
}
