import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can stop forwarding, so that what is sent is neither answered nor refused, or close its connections. */
export type SilentProxy = {
  /** The URL of the server through the proxy. */
  readonly url: string;
  /** The first data of each connection in both directions: of an HTTP connection, the head of the first request and response. */
  readonly exchanges: readonly { readonly request: string; readonly response: string }[];
  /** Stops forwarding on the open connections; new ones are not affected. */
  readonly silence: () => void;
  /** Closes the open connections; new ones are not affected. */
  readonly cut: () => void;
  /**
   * Closes each open connection in the next data from the server that has at least `bytes`: in the middle, or after the
   * first `kept` bytes.
   */
  readonly tear: (bytes: number, kept?: number) => void;
  /** Closes the open connections; new ones go to another server. */
  readonly redirect: (serverUrl: string) => void;
  /** New connections go to another server; the open ones are not affected, as after a change of a name. */
  readonly move: (serverUrl: string) => void;
  /** Delays each answer from now on, in milliseconds; 0 for none. */
  readonly delay: (ms: number) => void;
  readonly stop: () => Promise<void>;
};

export async function startSilentProxy(serverUrl: string): Promise<SilentProxy> {
  let target = new URL(serverUrl);
  let delayMs = 0;
  const pairs = new Set<readonly [Socket, Socket]>();
  const sockets = new Set<Socket>();
  const tearing = new WeakMap<Socket, { readonly bytes: number; readonly kept: number | undefined }>();
  const exchanges: { request: string; response: string }[] = [];
  /** Timers of the same length end in the order of their starts. */
  const later = (run: () => void) => (delayMs === 0 ? run() : setTimeout(run, delayMs));
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    const pair = [client, server] as const;
    pairs.add(pair);
    const destroy = () => {
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) {
      sockets.add(socket);
      socket.on('error', destroy).on('close', () => {
        pairs.delete(pair);
        sockets.delete(socket);
      });
    }
    const exchange = { request: '', response: '' };
    exchanges.push(exchange);
    client.once('data', (chunk) => {
      exchange.request = chunk.toString('latin1');
    });
    server.once('data', (chunk) => {
      exchange.response = chunk.toString('latin1');
    });
    client.pipe(server);
    server.on('data', (chunk) => {
      const { bytes, kept } = tearing.get(client) ?? { bytes: Number.POSITIVE_INFINITY };
      if (chunk.length >= bytes) {
        server.destroy();
        later(() => client.end(chunk.subarray(0, kept ?? chunk.length / 2)));
        return;
      }
      later(() => client.write(chunk));
    });
    server.on('end', () => later(() => client.end()));
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    exchanges,
    silence: () => {
      for (const [client, server] of pairs) {
        client.unpipe(server).pause();
        server.pause();
      }
    },
    cut,
    tear: (bytes, kept) => {
      for (const [client] of pairs) tearing.set(client, { bytes, kept });
    },
    delay: (ms) => {
      delayMs = ms;
    },
    move: (otherUrl) => {
      target = new URL(otherUrl);
    },
    redirect: (otherUrl) => {
      target = new URL(otherUrl);
      cut();
    },
    stop: async () => {
      cut();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
