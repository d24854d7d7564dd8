import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { GZIP_HEADER } from '../messages/gzip-header.js';
import { chunk, type Message, unchunked } from '../messages/message.js';
import { FrameWriter } from './frame-writer.js';
import type { StreamSink } from './stream-sink.js';

/**
 * A response with Server-Sent Events (D47), plain or compressed: then all messages are in one gzip member (T25). The
 * frames are complete chunks of the response.
 */
export class SseSink implements StreamSink {
  readonly form = 'sse';
  readonly room = Number.POSITIVE_INFINITY;
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  readonly #wireForm: 'sse' | 'sse-gzip';
  /** HTTP/1.0 has no chunks: the data ends with the connection. */
  readonly #isChunked: boolean;
  readonly #writer: FrameWriter;

  /** Sends the headers that are set on the response. The response must be the one in progress on its connection. */
  constructor(response: ServerResponse, wireForm: 'sse' | 'sse-gzip') {
    const { socket } = response;
    if (socket === null) throw new Error('an earlier response is in progress on this connection');
    this.#response = response;
    this.#socket = socket;
    this.#wireForm = wireForm;
    this.#writer = new FrameWriter(socket);
    response.flushHeaders();
    this.#isChunked = response.chunkedEncoding;
    if (wireForm === 'sse-gzip') this.#writer.write([this.#framed(chunk([GZIP_HEADER]))]);
  }

  get isWritable(): boolean {
    return this.#writer.isWritable;
  }

  get bytes(): number {
    return this.#writer.bytes;
  }

  send(messages: readonly Message[]): boolean {
    return this.#writer.write(messages.map((message) => this.#framed(message.frame(this.#wireForm))));
  }

  whenWritable(done: () => void): void {
    this.#writer.whenWritable(done);
  }

  caughtUp(): void {}

  /** The compressed data ends without a trailer, for which every stream would have to compute its own checksum. */
  end(closing: Message): void {
    this.send([closing]);
    this.#response.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #framed(frame: Buffer): Buffer {
    return this.#isChunked ? frame : unchunked(frame);
  }
}
