import { randomBytes } from 'node:crypto';
import * as webSockets from 'ws';
import type { PositionToken } from '../../../domain/feed/position.js';
import type { Content } from './content.js';
import { keptBytes } from './kept-bytes.js';
import { stored } from './stored-block.js';

/** The types of messages (D49). An `EventSource` uses `open`, `error` and `message` itself (T24). */
export type MessageType = 'ready' | 'item' | 'retraction' | 'live' | 'heartbeat' | 'subscribed' | 'closing';

/** How the frames of a message are written on a connection. */
export type WireForm = 'sse' | 'sse-gzip' | 'ws' | 'ws-deflate';

/** A message of a stream (D49), with its frames. Each frame is made once, when the first stream needs it. */
export class Message {
  readonly type: MessageType;
  /** The token is made with the message, once for all streams that send it. */
  readonly position: PositionToken;
  readonly content: Content;
  /** SSE: the milliseconds after which an `EventSource` reconnects. */
  readonly #retryMs: number | null;
  readonly #frames: Partial<Record<WireForm, Buffer>> = {};
  #ping: Buffer | undefined;

  constructor(type: MessageType, position: PositionToken, content: Content, retryMs: number | null = null) {
    this.type = type;
    this.position = position;
    this.content = content;
    this.#retryMs = retryMs;
  }

  frame(form: WireForm): Buffer {
    return this.#frames[form] ?? this.newFrame(form);
  }

  /** Called once for each form. */
  protected newFrame(form: WireForm): Buffer {
    const frame = this.#makeFrame(form);
    this.#frames[form] = frame;
    return frame;
  }

  /**
   * The content of the ping that follows a heartbeat on WebSocket connections (D55); null for other messages. It is sent in
   * the same write, which costs half of two, and is random, because a client that reads nothing must not know it.
   */
  get ping(): Buffer | null {
    if (this.type !== 'heartbeat') return null;
    this.#ping ??= randomBytes(PING_BYTES);
    return this.#ping;
  }

  /** The JSON up to `content`. */
  get start(): string {
    return `{"type":"${this.type}","position":"${this.position}"`;
  }

  get bytes(): number {
    return Object.values(this.#frames).reduce((sum, { length }) => sum + length, 0);
  }

  #makeFrame(form: WireForm): Buffer {
    const { text, deflated } = this.#parts(form);
    switch (form) {
      case 'sse':
        return chunk([text, SSE_END]);
      case 'sse-gzip':
        return chunk([deflated, stored(SSE_END)]);
      case 'ws':
        return this.#withPing(webSocketFrame(TEXT, text, false));
      case 'ws-deflate':
        return this.#withPing(webSocketFrame(TEXT, withoutSyncMarker(deflated), true));
    }
  }

  #withPing(frame: Buffer): Buffer {
    const { ping } = this;
    return ping === null ? frame : keptBytes([frame, webSocketFrame(PING, ping, false)]);
  }

  #parts(form: WireForm) {
    const start = Buffer.from(form.startsWith('sse') ? this.#sseStart() : this.start);
    const { content } = this;
    return {
      get text() {
        return Buffer.concat([start, content.text]);
      },
      get deflated() {
        return Buffer.concat([stored(start), content.deflated]);
      },
    };
  }

  #sseStart(): string {
    const retry = this.#retryMs === null ? '' : `retry: ${this.#retryMs}\n`;
    return `${retry}id: ${this.position}\nevent: ${this.type}\ndata: ${this.start}`;
  }
}

const SSE_END = Buffer.from('\n\n');
/** What ends raw deflate data that was flushed. A WebSocket message is sent without it (RFC 7692, 7.2.1). */
const SYNC_MARKER_BYTES = 4;

const withoutSyncMarker = (deflated: Buffer): Buffer => deflated.subarray(0, -SYNC_MARKER_BYTES);

const CHUNK_END = Buffer.from('\r\n');

/** A chunk of a response with `Transfer-Encoding: chunked`, so that the frame is written to the socket as it is. */
export function chunk(parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, piece) => sum + piece.length, 0);
  return keptBytes([Buffer.from(`${length.toString(16)}\r\n`), ...parts, CHUNK_END]);
}

/** The data of a chunk, for clients of HTTP/1.0, which get no chunks. */
export function unchunked(chunked: Buffer): Buffer {
  return chunked.subarray(chunked.indexOf(CHUNK_END) + CHUNK_END.length, -CHUNK_END.length);
}

/** Opcodes of frames (RFC 6455, 5.2). */
const TEXT = 1;
const PING = 9;
const PING_BYTES = 4;

/** An unfragmented frame. `rsv1` marks compressed data. */
const webSocketFrame = (opcode: number, payload: Buffer, rsv1: boolean): Buffer =>
  keptBytes(Sender.frame(payload, { fin: true, rsv1, opcode, mask: false, readOnly: true }));

/** The published types lack this public class. */
const { Sender } = webSockets as unknown as {
  readonly Sender: { frame(payload: Buffer, options: object): readonly Buffer[] };
};
