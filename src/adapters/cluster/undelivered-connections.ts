import type { Worker } from 'node:cluster';

/** A connection as Node passes it between processes. */
type Handle = { readonly close: () => void };

/** The message of Node's cluster module that hands over a connection (`seq`), and the reply of the worker (`ack`). */
type HandOver = { readonly act?: string; readonly seq?: number; readonly ack?: number };

/**
 * Closes the connections that were sent to a worker but not accepted before it exited (T23).
 *
 * The round robin of Node sends a connection to a worker, and closes its own copy when the worker replies. An exited
 * worker does not reply, so the copy stays open and the client waits for more than a minute. Therefore each connection
 * is stored until the reply, and closed if the worker exits first. The copy in the worker was closed by its exit.
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
