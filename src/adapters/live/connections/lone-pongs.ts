import type { Socket } from 'node:net';
import { PING_BYTES } from '../messages/message.js';
import type { WebSocketClient } from './stream-websocket.js';

/** An unfragmented pong, and a masked payload of the length of our pings (RFC 6455, 5.2). */
const PONG = 0x8a;
const MASKED_LENGTH = 0x80 | PING_BYTES;
const HEADER_BYTES = 2;
const MASK_BYTES = 4;
const FRAME_BYTES = HEADER_BYTES + MASK_BYTES + PING_BYTES;

type Listener = (this: Socket, chunk: Buffer) => void;

const CLIENT = Symbol('the client of a WebSocket');
const RECEIVE = Symbol('the listener of ws');
type ReadSocket = Socket & { [CLIENT]?: WebSocketClient; [RECEIVE]?: Listener };

/**
 * Reads the pongs of a client that sends nothing else, as nearly all do. For each of them, the receiver of `ws` would be loaded
 * from memory with its streams, which takes longer than a write with thousands of connections.
 *
 * From the first other data on, `ws` reads everything, because only it knows where a frame begins.
 */
export function readLonePongs(socket: Socket, client: WebSocketClient): void {
  const [receive, ...others] = socket.listeners('data') as Listener[];
  if (receive === undefined || others.length > 0) return;
  Object.assign(socket as ReadSocket, { [CLIENT]: client, [RECEIVE]: receive });
  socket.on('data', read).removeListener('data', receive);
  // Before `ws`, which reads what is left itself.
  socket.prependListener('close', stopReading);
}

function read(this: ReadSocket, chunk: Buffer): void {
  const { [CLIENT]: client, [RECEIVE]: receive } = this;
  if (client === undefined || receive === undefined) return;
  if (isPong(chunk)) client.pong(contentOf(chunk));
  else {
    this.on('data', receive).removeListener('data', read);
    receive.call(this, chunk);
  }
}

function stopReading(this: Socket): void {
  this.removeListener('data', read);
}

const isPong = (chunk: Buffer): boolean =>
  chunk.length === FRAME_BYTES && chunk[0] === PONG && chunk[1] === MASKED_LENGTH;

const contentOf = (frame: Buffer): Buffer => {
  const content = Buffer.allocUnsafe(PING_BYTES);
  for (let i = 0; i < PING_BYTES; i += 1) {
    const masked = frame[HEADER_BYTES + MASK_BYTES + i] ?? 0;
    content[i] = masked ^ (frame[HEADER_BYTES + (i % MASK_BYTES)] ?? 0);
  }
  return content;
};
