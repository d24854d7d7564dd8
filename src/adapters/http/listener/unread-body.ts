import type { IncomingMessage } from 'node:http';

/** Reads and drops what comes, up to `bytesMax`. */
export async function drain(request: IncomingMessage, bytesMax: number): Promise<void> {
  let drained = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    drained += (chunk as Buffer).length;
    if (drained > bytesMax) return;
  }
}

/** How much of a body is read after its request was answered, and for how long. */
export type DrainLimits = { readonly bytesMax: number; readonly deadlineMs: number };

const CHECK_EVERY_MS = 50;

/**
 * Reads and drops the rest of a body whose request was answered early, so that the next request on the connection is seen.
 * Node does that only for a body that nobody began to read, and without a limit; any other rest would stay in the
 * connection (T18). A rest beyond the limits closes the connection.
 */
export function drainUnread(request: IncomingMessage, { bytesMax, deadlineMs }: DrainLimits): void {
  if (request.destroyed) return;
  if (request.complete) {
    // It has arrived, and what is not read yet may hold up the socket.
    if (request.readableLength > 0) request.resume();
    return;
  }
  const { socket } = request;
  const [readBefore, startedAt] = [socket.bytesRead, performance.now()];
  // What Node drains by itself emits no data: the socket knows how much came.
  const timer = setInterval(() => {
    const isLate = performance.now() - startedAt > deadlineMs;
    if (isLate || socket.bytesRead - readBefore > bytesMax) socket.destroy();
    if (socket.destroyed || request.complete) clearInterval(timer);
  }, CHECK_EVERY_MS);
  timer.unref();
  request.resume();
}
