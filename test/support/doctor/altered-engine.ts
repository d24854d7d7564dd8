import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A Postgres that executes other statements than it was sent, like an engine that accepts a clause and ignores it: a proxy
 * that replaces a text by another one of the same length.
 */
export async function startAlteredEngine(
  serverUrl: string,
  [from, to]: readonly [from: string, to: string],
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  if (from.length !== to.length) throw new Error('messages of the protocol contain their length');
  const server = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(Number(server.port), server.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => [client, upstream].map((each) => each.destroy()));
    }
    client.on('data', (chunk) =>
      upstream.write(Buffer.from(chunk.toString('latin1').replaceAll(from, to), 'latin1')),
    );
    upstream.pipe(client);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(serverUrl);
  url.port = String((proxy.address() as AddressInfo).port);
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
    await once(proxy, 'close');
  };
  return { url: url.href, stop };
}
