import type { Worker } from 'node:cluster';

/** A connection as Node passes it between processes. */
type Handle = { readonly close: () => void };

/** What Node's cluster module sends to hand a connection over (`seq`), and what the worker replies (`ack`). */
type HandOver = { readonly act?: string; readonly seq?: number; readonly ack?: number };

/**
 * Closes the connections that a worker was sent and had not accepted when it ended (T23).
 *
 * The round robin of Node sends an accepted connection to a worker, and closes its own copy when the worker replies. No
 * reply comes from a worker that is gone, so the copy stays open, and the client waits for more than a minute. Each
 * connection is therefore remembered from its message until the reply; closing the copy is all that is left to do,
 * because the worker's own copy ended with it.
 */
export function closeUndeliveredConnections({ process: worker }: Worker): void {
  const undelivered = new Map<number, Handle>();
  const send = worker.send.bind(worker) as (...args: readonly unknown[]) => boolean;
  worker.send = (message: HandOver, handle?: unknown, ...more: readonly unknown[]) => {
    if (message.act === 'newconn' && message.seq !== undefined)
      undelivered.set(message.seq, handle as Handle);
    return send(message, handle, ...more);
  };
  worker.on('internalMessage', ({ ack }: HandOver) => {
    if (ack !== undefined) undelivered.delete(ack);
  });
  worker.once('exit', () => {
    for (const handle of undelivered.values()) handle.close();
    undelivered.clear();
  });
}
