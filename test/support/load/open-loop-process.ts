import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Load, type LoadRequest, type OpenLoop, openLoop } from './open-loop.js';

type Order = {
  readonly load: Load;
  readonly request: Omit<LoadRequest, 'isOnNewConnection'>;
  /** Every so many requests are on a new connection. */
  readonly newConnectionEvery: number;
};

export type OpenLoopProcess = {
  /** Sends the same request at a fixed rate. One run at a time. */
  readonly run: (order: Order) => Promise<OpenLoop>;
  readonly stop: () => void;
};

/**
 * `openLoop` in a process of its own. In a process that also has thousands of streams, a response that has arrived waits
 * until the streams are read: the latency would be that of the test.
 */
export async function startOpenLoopProcess(): Promise<OpenLoopProcess> {
  const child = fork(fileURLToPath(import.meta.url));
  await once(child, 'message');
  return {
    run: async (order) => {
      child.send(order);
      const [result] = (await once(child, 'message')) as [OpenLoop];
      return result;
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

/** The child process: only there `process.send` exists. */
if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('disconnect', () => process.exit());
  process.on('message', async ({ load, request, newConnectionEvery }: Order) => {
    const wanted = (n: number) => ({ ...request, isOnNewConnection: n % newConnectionEvery === 0 });
    process.send?.(await openLoop(load, wanted));
  });
  process.send('ready');
}
