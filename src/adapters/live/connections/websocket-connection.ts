import type { RawData } from 'ws';
import type { StreamFilter } from '../../../domain/feed/stream-filter.js';
import { isRefusal, type Refusal } from '../../../domain/refusal.js';
import type { RunningStream } from '../open-stream.js';
import type { CloseReason } from './stream-sink.js';
import type { StreamWebSocket } from './stream-websocket.js';
import type { UnansweredPings } from './unanswered-pings.js';
import { POLICY_VIOLATION } from './websocket-sink.js';

/** The close code that `ws` reports if the connection ended without a close frame. */
const NO_CLOSE_FRAME = 1006;

const SECOND_MS = 1_000;
const MESSAGES_PER_SECOND_MAX = 10;

/** The filter of a `subscribe` message, or what is wrong with the message. */
export type ReadSubscribe = (text: string) => StreamFilter | Refusal<'invalid_parameter'>;

/** The client of a WebSocket: its messages, its pings, and its answers to ours (D55). */
export class WebSocketConnection {
  readonly #webSocket: StreamWebSocket;
  readonly #stream: RunningStream;
  readonly #pings: UnansweredPings;
  readonly #readSubscribe: ReadSubscribe;
  #reason: CloseReason | null = null;
  /** When the present second began, in whole milliseconds, and the frames that the client has sent in it. */
  #since = 0;
  #frames = 0;

  constructor(
    webSocket: StreamWebSocket,
    stream: RunningStream,
    pings: UnansweredPings,
    readSubscribe: ReadSubscribe,
  ) {
    this.#webSocket = webSocket;
    this.#stream = stream;
    this.#pings = pings;
    this.#readSubscribe = readSubscribe;
  }

  /** Handles what the client sends from now on. */
  start(): void {
    this.#webSocket
      .on('message', (data, isBinary) => this.#message(data, isBinary))
      .on('ping', () => void this.#count())
      .on('pong', (content) => this.#pong(content))
      // A frame that breaks the protocol: `ws` closes with the code for it.
      .on('error', (fault) => this.#fault(fault))
      .on('close', (code) => this.#closed(code));
  }

  #message(data: RawData, isBinary: boolean): void {
    if (!this.#count()) return;
    if (isBinary) this.#refuse('binary_message');
    else this.#text(String(data));
  }

  /** Replaces the filter by that of the message. */
  #text(message: string): void {
    const filter = this.#readSubscribe(message);
    if (isRefusal(filter)) this.#stream.refuse(filter);
    else if (this.#stream.subscribe(filter) === 'refused') this.#refuse('subscribe_during_replay');
  }

  #pong(content: Buffer): void {
    if (this.#count() && this.#pings.answered(content)) this.#stream.ponged();
  }

  #fault(fault: Error & { readonly code?: string }): void {
    this.#reason ??= fault.code ?? fault.name;
  }

  #closed(code: number): void {
    if (this.#pings.areTooMany) this.#reason ??= 'unanswered_pings';
    this.#stream.closed(this.#reason ?? (code === NO_CLOSE_FRAME ? 'aborted' : 'client'));
  }

  /** Counts a message or a control frame. False if the connection is closing. */
  #count(): boolean {
    if (!this.#isOpen) return false;
    if (this.#isWithinRate()) return true;
    this.#refuse('too_many_messages');
    return false;
  }

  #refuse(reason: CloseReason): void {
    this.#reason ??= reason;
    this.#webSocket.close(POLICY_VIOLATION, reason);
  }

  /** `ws` itself limits the fragments of a message. */
  #isWithinRate(): boolean {
    const now = Math.trunc(performance.now());
    if (now - this.#since >= SECOND_MS) {
      this.#since = now;
      this.#frames = 0;
    }
    this.#frames += 1;
    return this.#frames <= MESSAGES_PER_SECOND_MAX;
  }

  get #isOpen(): boolean {
    return this.#webSocket.readyState === this.#webSocket.OPEN;
  }
}
