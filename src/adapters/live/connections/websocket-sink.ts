import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Message } from '../messages/message.js';
import { FrameWriter } from './frame-writer.js';
import type { EndCause, StreamSink } from './stream-sink.js';
import type { UnansweredPings } from './unanswered-pings.js';

/** Close codes that are registered for the purpose (RFC 6455, D52). */
const RESTART = 1012;
const TRY_AGAIN_LATER = 1013;
/** For a client that breaks our rules (D55). */
export const POLICY_VIOLATION = 1008;

const BAD_REQUEST = 400;

/**
 * A WebSocket (D47). Its messages are written straight to the socket, beside the control frames of `ws`, which sends no
 * messages itself. With permessage-deflate they are the same compressed bytes for all connections (D56).
 */
export class WebSocketSink implements StreamSink {
  readonly form = 'websocket';
  readonly room = Number.POSITIVE_INFINITY;
  readonly #webSocket: WebSocket;
  readonly #writer: FrameWriter;
  readonly #pings: UnansweredPings;

  constructor(webSocket: WebSocket, socket: Socket, pings: UnansweredPings) {
    this.#webSocket = webSocket;
    this.#pings = pings;
    const form = webSocket.extensions.includes('permessage-deflate') ? 'ws-deflate' : 'ws';
    this.#writer = new FrameWriter(socket, { form, isChunked: true });
  }

  get isWritable(): boolean {
    return this.#isOpen && this.#writer.isWritable;
  }

  get bytes(): number {
    return this.#writer.bytes;
  }

  /** Writes nothing after a close frame. */
  send(messages: readonly Message[]): boolean {
    if (!this.#isOpen) return false;
    const last = messages.at(-1);
    // A heartbeat is the last message of a write.
    if (last !== undefined && last.ping !== null) this.#pings.sent(last.ping);
    return this.#writer.write(messages);
  }

  /** Never during the closing handshake: nothing is written after a close frame, so the stream would ask again at once. */
  whenWritable(done: () => void): void {
    this.#writer.whenWritable(() => {
      if (this.#isOpen) done();
    });
  }

  caughtUp(): void {}

  end(closing: Message, status: number, cause: EndCause): void {
    this.send([closing]);
    this.#webSocket.close(closeCode(status, cause), typeof cause === 'string' ? cause : cause.refused);
  }

  destroy(): void {
    this.#webSocket.terminate();
  }

  get #isOpen(): boolean {
    return this.#webSocket.readyState === this.#webSocket.OPEN;
  }
}

/** 4401 for a 401, and so on. A 400 can only be the answer to a message of the client. */
function closeCode(status: number, cause: EndCause): number {
  if (cause === 'restart') return RESTART;
  if (status === BAD_REQUEST) return POLICY_VIOLATION;
  return status < 500 ? 4_000 + status : TRY_AGAIN_LATER;
}
