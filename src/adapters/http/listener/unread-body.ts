import type { IncomingMessage } from 'node:http';

/** Reads and discards the body, up to `bytesMax`. */
export async function drain(request: IncomingMessage, bytesMax: number): Promise<void> {
  let drained = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    drained += (chunk as Buffer).length;
    if (drained > bytesMax) return;
  }
}

/** How much of a body is read after the response, and for how long. */
export type DrainLimits = { readonly bytesMax: number; readonly deadlineMs: number };

const CHECK_EVERY_MS = 50;

/**
 * Reads and discards the rest of a body whose request was answered early, so that the next request on the connection is
 * read. Node does this only for a body of which nothing was read, and without a limit. The rest of a partly read body
 * would block the connection (T18). If the rest exceeds the limits, the connection is closed.
 */
export function drainUnread(request: IncomingMessage, { bytesMax, deadlineMs }: DrainLimits): void {
  if (request.destroyed) return;
  if (request.complete) {
    // The body has arrived; its unread bytes may pause the socket.
    if (request.readableLength > 0) request.resume();
    return;
  }
  const { socket } = request;
  const [readBefore, startedAt] = [socket.bytesRead, performance.now()];
  // Bytes that Node discards emit no event, so they are counted at the socket.
  const timer = setInterval(() => {
    const isLate = performance.now() - startedAt > deadlineMs;
    if (isLate || socket.bytesRead - readBefore > bytesMax) socket.destroy();
    if (socket.destroyed || request.complete) clearInterval(timer);
  }, CHECK_EVERY_MS);
  timer.unref();
  request.resume();
}
