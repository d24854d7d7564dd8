import type { Socket } from 'node:net';
import type { SharedMessages } from '../../fast-paths/shared-messages.js';
import type { Message, WireForm } from '../messages/message.js';
import type { EndCause, StreamSink } from './stream-sink.js';

const NOTHING = Buffer.alloc(0);

/**
 * The base of the sinks of SSE and WebSocket. Writes frames straight to a socket, and tells when the socket has accepted
 * them (D53). Each frame is one write, so no other frame can be inserted into it.
 */
export abstract class SocketSink implements StreamSink {
  abstract readonly form: 'sse' | 'websocket';
  protected readonly socket: Socket;
  readonly #wireForm: WireForm;
  #isClosing = false;
  #bytes = 0;

  constructor(socket: Socket, wireForm: WireForm) {
    this.socket = socket;
    this.#wireForm = wireForm;
  }

  get room(): number {
    return Number.POSITIVE_INFINITY;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False while the socket has not accepted everything, and after its end. */
  get isWritable(): boolean {
    const { socket } = this;
    return !this.#isClosing && socket.writable && socket.writableLength === 0;
  }

  send(messages: readonly Message[]): boolean {
    const { socket } = this;
    if (this.#isClosing || !socket.writable) return false;
    // Nearly all writes are of one message: without `cork` Node does not queue it first.
    if (messages.length > 1) socket.cork();
    for (const message of messages) this.writeFrame(message.frame(this.#wireForm));
    if (messages.length > 1) socket.uncork();
    return socket.writableLength === 0;
  }

  sendShared(shared: SharedMessages): void {
    if (!this.#isClosing && this.socket.writable) this.writeFrame(shared.frame(this.#wireForm));
  }

  /**
   * Never calls `done` if the socket fails before, has ended, or is closing: nothing is written then, so the stream would ask
   * again at once. `drain` would not tell: it is not emitted for less than the high water mark.
   */
  whenWritable(done: () => void): void {
    // A write after its end would destroy the socket, and with it what the client has not read.
    if (this.#isClosing || !this.socket.writable) return;
    this.socket.write(NOTHING, (fault) => {
      if (fault) return;
      if (this.isWritable) done();
      else this.whenWritable(done); // Written to meanwhile: for example a ping.
    });
  }

  caughtUp(): void {}

  permitUsed(): void {}

  abstract end(closing: Message, status: number, cause: EndCause): void;

  abstract destroy(): void;

  /** Nothing more is written. */
  noteClosing(): void {
    this.#isClosing = true;
  }

  protected get isClosing(): boolean {
    return this.#isClosing;
  }

  protected writeFrame(frame: Buffer): void {
    this.socket.write(frame);
    this.#bytes += frame.length;
  }
}
