import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { StreamMessage } from './stream-reader.js';

export type WebSocketReader = {
  readonly messages: readonly StreamMessage[];
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  /** The close code. */
  readonly code: Promise<number>;
  readonly close: () => void;
};

/** Opens a stream as WebSocket. Resolves when it is open; rejects if it is refused. */
export async function openWebSocket(
  url: string,
  key: string,
  query = '',
  tls: { readonly ca?: string } = {},
): Promise<WebSocketReader> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/pm/v2/stream${query}`, {
    headers: { 'X-API-Key': key },
    ...tls,
  });
  const messages: StreamMessage[] = [];
  socket
    .on('message', (data) => messages.push(JSON.parse(String(data)) as StreamMessage))
    .on('error', () => {});
  const code = new Promise<number>((done) => socket.once('close', done));
  await once(socket, 'open');
  return { messages, code, closed: code.then(() => {}), close: () => socket.terminate() };
}
