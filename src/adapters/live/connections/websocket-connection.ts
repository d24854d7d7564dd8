import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { RawData, WebSocket } from 'ws';
import type { StreamFilter } from '../../../domain/feed/stream-filter.js';
import type { RunningStream } from '../open-stream.js';
import type { CloseReason } from './stream-sink.js';

/** The close code for a client that breaks our rules (RFC 6455, D55). */
const POLICY_VIOLATION = 1008;
/** The close code that `ws` reports if the connection ended without a close frame. */
const NO_CLOSE_FRAME = 1006;

const SECOND_MS = 1_000;
const MESSAGES_PER_SECOND_MAX = 10;
/** A connection is closed if the pings of this number are unanswered. */
const UNANSWERED_PINGS_MAX = 2;
const PING_BYTES = 4;

type Parts = {
  readonly webSocket: WebSocket;
  readonly stream: RunningStream;
  readonly pingEveryMs: number;
  /** The filter of a `subscribe` message; null for any other message. */
  readonly readSubscribe: (text: string) => StreamFilter | null;
};

/** The client of a WebSocket: its messages, its pings, and whether it answers ours (D55). */
export class WebSocketConnection {
  readonly #parts: Parts;
  readonly #pinging: NodeJS.Timeout;
  /** The contents of the pings that are not answered. They are random: a client that reads nothing cannot answer. */
  readonly #unanswered: Buffer[] = [];
  readonly #received = new FrameRate();
  #reason: CloseReason | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { webSocket, pingEveryMs } = parts;
    this.#pinging = setInterval(() => this.#ping(), pingEveryMs);
    webSocket
      .on('message', (data, isBinary) => this.#message(data, isBinary))
      .on('ping', () => this.#count())
      .on('pong', (content) => this.#pong(content))
      // A frame that breaks the protocol: `ws` closes with the code for it.
      .on('error', (fault) => {
        this.#reason ??= (fault as { readonly code?: string }).code ?? fault.name;
      })
      .once('close', (code) => this.#closed(code));
  }

  #message(data: RawData, isBinary: boolean): void {
    if (!this.#count()) return;
    const reason = this.#whyRefused(data, isBinary);
    if (reason !== null) this.#refuse(reason);
  }

  /** Replaces the filter by that of the message, or returns why not. */
  #whyRefused(data: RawData, isBinary: boolean): CloseReason | null {
    if (isBinary) return 'binary_message';
    const { readSubscribe, stream } = this.#parts;
    const filter = readSubscribe(String(data));
    if (filter === null) return 'invalid_message';
    return stream.subscribe(filter) === 'refused' ? 'subscribe_during_replay' : null;
  }

  #pong(content: Buffer): void {
    if (!this.#count()) return;
    if (!this.#unanswered.some((ping) => ping.equals(content))) return;
    this.#unanswered.length = 0;
    this.#parts.stream.ponged();
  }

  /** Counts a message or a control frame. False if the connection is closing. */
  #count(): boolean {
    if (!this.#isOpen) return false;
    if (this.#received.take()) return true;
    this.#refuse('too_many_messages');
    return false;
  }

  #refuse(reason: CloseReason): void {
    this.#reason ??= reason;
    this.#parts.webSocket.close(POLICY_VIOLATION, reason);
  }

  /** After a pause of this process, the answers may be unread yet (T17): the event loop reads the sockets first. */
  async #ping(): Promise<void> {
    if (this.#unanswered.length >= UNANSWERED_PINGS_MAX) {
      await setImmediate();
      await setImmediate();
    }
    if (!this.#isOpen) return;
    if (this.#unanswered.length >= UNANSWERED_PINGS_MAX) {
      this.#reason ??= 'unanswered_pings';
      return this.#parts.webSocket.terminate();
    }
    const content = randomBytes(PING_BYTES);
    this.#unanswered.push(content);
    this.#parts.webSocket.ping(content);
  }

  #closed(code: number): void {
    clearInterval(this.#pinging);
    this.#parts.stream.closed(this.#reason ?? (code === NO_CLOSE_FRAME ? 'aborted' : 'client'));
  }

  get #isOpen(): boolean {
    const { webSocket } = this.#parts;
    return webSocket.readyState === webSocket.OPEN;
  }
}

/** The frames that a client has sent in the present second. `ws` itself limits the fragments of a message. */
class FrameRate {
  #since = performance.now();
  #frames = 0;

  /** Counts a frame. False beyond the limit. */
  take(): boolean {
    const now = performance.now();
    if (now - this.#since >= SECOND_MS) {
      this.#since = now;
      this.#frames = 0;
    }
    this.#frames += 1;
    return this.#frames <= MESSAGES_PER_SECOND_MAX;
  }
}
