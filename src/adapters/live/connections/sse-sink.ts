import type { Socket } from 'node:net';
import type { SharedMessages } from '../../fast-paths/shared-messages.js';
import { GZIP_HEADER } from '../messages/gzip-header.js';
import { chunk, type Message, unchunked } from '../messages/message.js';
import { SocketSink } from './socket-sink.js';

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
export class SseSink extends SocketSink {
  readonly form = 'sse';
  readonly #isChunked: boolean;

  /** The head of the response is written, and nothing else writes to the socket. */
  constructor(socket: Socket, { isChunked, isGzip }: SseForm) {
    super(socket, isGzip ? 'sse-gzip' : 'sse');
    this.#isChunked = isChunked;
    if (isGzip) this.writeFrame(chunk([GZIP_HEADER]));
  }

  override sendShared(shared: SharedMessages): void {
    if (this.#isChunked) super.sendShared(shared);
    else this.send(shared.messages);
  }

  /** The compressed data ends without a trailer, for which every stream would have to compute its own checksum. */
  end(closing: Message): void {
    this.send([closing]);
    if (this.#isChunked) this.socket.end(LAST_CHUNK);
    this.socket.destroySoon();
  }

  destroy(): void {
    this.socket.destroy();
  }

  protected override writeFrame(frame: Buffer): void {
    super.writeFrame(this.#isChunked ? frame : unchunked(frame));
  }
}
