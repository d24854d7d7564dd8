import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

export type SlowReaders = {
  /** The bytes that all of them have read. */
  readonly bytes: () => number;
  readonly release: () => void;
};

const STREAM = '/pm/v2/stream';
const TICK_MS = 250;
const WEB_SOCKET =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: b2Rkc3dpcmUtdGVzdHMtMQ==\r\n';

/**
 * Opens `count` streams that read about `bytesPerSecond`, on raw sockets: an HTTP client would read ahead. 0: they read
 * nothing after the header; `Infinity`: they read everything, and do not parse it. The header is in the first bytes that arrive.
 */
export async function slowReaders(
  url: string,
  key: string,
  options: { readonly count: number; readonly bytesPerSecond: number; readonly isWebSocket?: boolean },
): Promise<SlowReaders> {
  const { count, bytesPerSecond, isWebSocket = false } = options;
  const { port, host } = new URL(url);
  const fields = isWebSocket ? WEB_SOCKET : 'Accept: text/event-stream\r\n';
  const request = `GET ${STREAM} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\n${fields}\r\n`;
  let bytes = 0;
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ port: Number(port), host: '127.0.0.1' });
      socket.on('error', () => {}).write(request);
      await once(socket, 'readable');
      return socket;
    }),
  );
  const ending = new AbortController();
  const read = async () => {
    const each = (bytesPerSecond * TICK_MS) / 1_000;
    for (; !ending.signal.aborted; await setTimeout(TICK_MS))
      for (const socket of sockets) bytes += readSome(socket, each);
  };
  if (bytesPerSecond === Number.POSITIVE_INFINITY)
    for (const socket of sockets)
      socket.on('data', ({ length }) => {
        bytes += length;
      });
  else if (bytesPerSecond > 0) void read();
  return {
    bytes: () => bytes,
    release: () => {
      ending.abort();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Reads up to `most` bytes of what has arrived. */
function readSome(socket: Socket, most: number): number {
  const available = Math.min(most, socket.readableLength);
  return available === 0 ? 0 : ((socket.read(available) as Buffer | null)?.length ?? 0);
}
