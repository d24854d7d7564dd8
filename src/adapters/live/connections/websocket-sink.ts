import type { Socket } from 'node:net';
import type { Message } from '../messages/message.js';
import { SocketSink } from './socket-sink.js';
import type { EndCause } from './stream-sink.js';
import type { StreamWebSocket } from './stream-websocket.js';
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
export class WebSocketSink extends SocketSink {
  readonly form = 'websocket';
  readonly #webSocket: StreamWebSocket;
  readonly #pings: UnansweredPings;

  constructor(webSocket: StreamWebSocket, socket: Socket, pings: UnansweredPings) {
    super(socket, webSocket.extensions.includes('permessage-deflate') ? 'ws-deflate' : 'ws');
    this.#webSocket = webSocket;
    this.#pings = pings;
    webSocket.noteClosingIn(this);
  }

  override send(messages: readonly Message[]): boolean {
    // A heartbeat is the last message of a write.
    const ping = messages.at(-1)?.ping ?? null;
    if (ping !== null && !this.isClosing && this.socket.writable) this.#pings.sent(ping);
    return super.send(messages);
  }

  end(closing: Message, status: number, cause: EndCause): void {
    this.send([closing]);
    this.#webSocket.close(closeCode(status, cause), typeof cause === 'string' ? cause : cause.refused);
  }

  destroy(): void {
    this.#webSocket.terminate();
  }
}

/** 4401 for a 401, and so on. A 400 can only be the answer to a message of the client. */
function closeCode(status: number, cause: EndCause): number {
  if (cause === 'restart') return RESTART;
  if (status === BAD_REQUEST) return POLICY_VIOLATION;
  return status < 500 ? 4_000 + status : TRY_AGAIN_LATER;
}
