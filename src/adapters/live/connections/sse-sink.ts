import type { Socket } from 'node:net';
import { GZIP_HEADER } from '../messages/gzip-header.js';
import { chunk, type Message } from '../messages/message.js';
import { FrameWriter } from './frame-writer.js';
import type { StreamSink } from './stream-sink.js';

export type SseForm = {
  /** HTTP/1.0 has no chunks: the data ends with the connection. */
  readonly isChunked: boolean;
  readonly isGzip: boolean;
};

/** The last chunk of a response (RFC 9112, 7.1). */
const LAST_CHUNK = '0\r\n\r\n';

/**
 * The body of a response with Server-Sent Events (D47), plain or compressed: then all messages are in one gzip member
 * (T25). The frames are complete chunks of the response.
 */
export class SseSink implements StreamSink {
  readonly form = 'sse';
  readonly room = Number.POSITIVE_INFINITY;
  readonly #socket: Socket;
  readonly #isChunked: boolean;
  readonly #writer: FrameWriter;

  /** The head of the response is written, and nothing else writes to the socket. */
  constructor(socket: Socket, { isChunked, isGzip }: SseForm) {
    this.#socket = socket;
    this.#isChunked = isChunked;
    this.#writer = new FrameWriter(socket, { form: isGzip ? 'sse-gzip' : 'sse', isChunked });
    if (isGzip) this.#writer.writeFrame(chunk([GZIP_HEADER]));
  }

  get isWritable(): boolean {
    return this.#writer.isWritable;
  }

  get bytes(): number {
    return this.#writer.bytes;
  }

  send(messages: readonly Message[]): boolean {
    return this.#writer.write(messages);
  }

  whenWritable(done: () => void): void {
    this.#writer.whenWritable(done);
  }

  caughtUp(): void {}

  /** The compressed data ends without a trailer, for which every stream would have to compute its own checksum. */
  end(closing: Message): void {
    this.send([closing]);
    if (this.#isChunked) this.#socket.end(LAST_CHUNK);
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
