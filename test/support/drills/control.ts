import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type Control = {
  /** A shell command that runs an action with the value of a variable of its environment, and waits for its end. */
  readonly command: (action: string, variable?: string) => string;
  readonly stop: () => void;
};

/** Lets a script change what belongs to the test: its servers and its service. */
export async function startControl(
  actions: Readonly<Record<string, (value: string) => Promise<unknown>>>,
): Promise<Control> {
  const server = createServer(async (request, response) => {
    const action = actions[request.url?.slice(1) ?? ''];
    const value = await text(request);
    try {
      if (action === undefined) throw new Error(`no action ${request.url}`);
      await action(value);
      response.end();
    } catch (fault) {
      response.writeHead(500).end(String(fault));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    command: (action, variable) =>
      `curl -fsS --data-binary "${variable === undefined ? '' : `$${variable}`}" http://127.0.0.1:${port}/${action}`,
    stop: () => void server.close(),
  };
}
