import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can stop forwarding, so that what is sent is neither answered nor refused, or close its connections. */
export type SilentProxy = {
  /** The URL of the server through the proxy. */
  readonly url: string;
  /** Stops forwarding on the open connections; new ones are not affected. */
  readonly silence: () => void;
  /** Closes the open connections; new ones are not affected. */
  readonly cut: () => void;
  readonly stop: () => Promise<void>;
};

export async function startSilentProxy(serverUrl: string): Promise<SilentProxy> {
  const target = new URL(serverUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    const pair = [client, server] as const;
    pairs.add(pair);
    for (const socket of pair) socket.on('error', () => {}).on('close', () => pairs.delete(pair));
    client.pipe(server).pipe(client);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  return {
    url: url.href,
    silence: () => {
      for (const [client, server] of pairs) {
        client.unpipe(server).pause();
        server.unpipe(client).pause();
      }
    },
    cut,
    stop: async () => {
      cut();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
