import type { Socket } from 'node:net';
import { type Message, unchunked, type WireForm } from '../messages/message.js';

const NOTHING = Buffer.alloc(0);

/** How a connection carries the frames. HTTP/1.0 has no chunks: the data ends with the connection. */
export type Framing = { readonly form: WireForm; readonly isChunked: boolean };

/**
 * Writes frames straight to a socket, and tells when the socket has accepted them (D53). Each frame is written whole, so
 * that the frames of others on the same socket cannot be in the middle of one.
 */
export class FrameWriter {
  readonly #socket: Socket;
  readonly #form: WireForm;
  readonly #isChunked: boolean;
  #bytes = 0;

  constructor(socket: Socket, { form, isChunked }: Framing) {
    this.#socket = socket;
    this.#form = form;
    this.#isChunked = isChunked;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False while the socket has not accepted everything, and after its end. */
  get isWritable(): boolean {
    return this.#socket.writable && this.#socket.writableLength === 0;
  }

  /** Writes the frames of the messages with one call of the system. Returns whether everything is accepted. */
  write(messages: readonly Message[]): boolean {
    const socket = this.#socket;
    if (!socket.writable) return false;
    // Nearly all writes are of one message: without `cork` Node does not queue it first.
    if (messages.length > 1) socket.cork();
    for (const message of messages) this.writeFrame(message.frame(this.#form));
    if (messages.length > 1) socket.uncork();
    return socket.writableLength === 0;
  }

  /** Nothing is written after the end of the socket. */
  writeFrame(frame: Buffer): void {
    const written = this.#isChunked ? frame : unchunked(frame);
    this.#socket.write(written);
    this.#bytes += written.length;
  }

  /**
   * Calls `done` once, when everything is accepted; never if the socket fails before. `drain` would not tell: it is not
   * emitted for less than the high water mark.
   */
  whenWritable(done: () => void): void {
    this.#socket.write(NOTHING, (fault) => {
      if (fault) return;
      if (this.isWritable) done();
      else if (this.#socket.writable) this.whenWritable(done); // Written to meanwhile: for example a ping.
    });
  }
}
