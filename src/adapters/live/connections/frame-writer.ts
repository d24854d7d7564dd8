import type { Socket } from 'node:net';

const NOTHING = Buffer.alloc(0);

/**
 * Writes frames straight to a socket, and tells when the socket has accepted them (D53). Each frame is written whole, so
 * that the frames of others on the same socket cannot be in the middle of one.
 */
export class FrameWriter {
  readonly #socket: Socket;
  #bytes = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False while the socket has not accepted everything, and after its end. */
  get isWritable(): boolean {
    return this.#socket.writable && this.#socket.writableLength === 0;
  }

  /** Writes the frames with one call of the system. Returns `isWritable`. */
  write(frames: readonly Buffer[]): boolean {
    const socket = this.#socket;
    if (!socket.writable) return false;
    // Nearly all writes are of one message: without `cork` Node does not queue it first.
    if (frames.length > 1) socket.cork();
    for (const frame of frames) {
      socket.write(frame);
      this.#bytes += frame.length;
    }
    if (frames.length > 1) socket.uncork();
    return this.isWritable;
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
