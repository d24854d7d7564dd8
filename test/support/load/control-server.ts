import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

export type ControlServer = { readonly url: string; readonly stop: () => void };

/**
 * A process with a bare `node:http` server that answers immediately. It shows what a request costs on this machine now,
 * independent of the service.
 */
export async function startControlServer(): Promise<ControlServer> {
  const child = fork(fileURLToPath(import.meta.url));
  const [port] = (await once(child, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill('SIGKILL') };
}

/** The child process: only there `process.send` exists. */
if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = createServer((_request, response) => response.end('{}'));
  process.once('disconnect', () => process.exit());
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}
