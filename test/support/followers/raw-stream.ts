import { request } from 'node:http';
import { connect } from 'node:net';
import type { WireForm } from '../../../src/adapters/live/messages/message.js';
import { frame, OPCODE } from '../live/frames.js';
import { FrameReader, type ReceivedMessage } from '../streams/frame-reader.js';

export type Connection = {
  readonly url: URL;
  readonly key: string;
  /** The connection is dropped after this number of received bytes; null: only by the service or by `signal`. */
  readonly bytesMax: number | null;
  readonly signal: AbortSignal;
};

/** The status is 0 without a response. The body is that of a response that is no stream, if it is complete. */
export type End = { readonly status: number; readonly body: string };

const FORM_HEADERS: Readonly<Record<WireForm, readonly string[]>> = {
  sse: ['Accept: text/event-stream'],
  'sse-gzip': ['Accept: text/event-stream', 'Accept-Encoding: gzip'],
  ws: [],
  'ws-deflate': ['Sec-WebSocket-Extensions: permessage-deflate'],
};

const HANDSHAKE = [
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
];

/** Reads a stream from its bytes, so that it can end at any of them. Rejects with what `take` throws. */
export function readStreamBytes(
  { url, key, bytesMax, signal }: Connection,
  form: WireForm,
  take: (message: ReceivedMessage) => void,
): Promise<End> {
  const socket = connect(Number(url.port), url.hostname);
  const lines = [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    `X-API-Key: ${key}`,
    ...FORM_HEADERS[form],
    ...(form.startsWith('ws') ? HANDSHAKE : []),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const reader = new FrameReader(form, (ping) => socket.write(frame(OPCODE.pong, ping)));
  const response = new Response();
  let left = bytesMax ?? Number.POSITIVE_INFINITY;
  const receive = (bytes: Buffer) => {
    const body = response.push(bytes.subarray(0, left));
    left -= bytes.length;
    if (response.isStream) for (const message of reader.push(body)) take(message);
    if (left <= 0 || response.isComplete) socket.destroy();
  };
  return new Promise((done, fail) => {
    const abort = () => socket.destroy();
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    socket
      .on('data', (bytes) => {
        try {
          receive(bytes);
        } catch (fault) {
          fail(fault as Error);
          socket.destroy();
        }
      })
      .on('error', () => {}) // Followed by `close`.
      .once('close', () => {
        signal.removeEventListener('abort', abort);
        done({ status: response.status, body: response.isComplete ? response.body : '' });
      });
  });
}

const HEAD_END = '\r\n\r\n';

/** A response as far as its bytes have arrived. */
class Response {
  #bytes = Buffer.alloc(0);
  #bodyAt = -1;
  status = 0;
  #length = 0;

  /** Returns the new bytes of the body. */
  push(bytes: Buffer): Buffer {
    const before = this.#bytes.length;
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    if (this.#bodyAt !== -1) return this.#bytes.subarray(before);
    const end = this.#bytes.indexOf(HEAD_END);
    if (end === -1) return Buffer.alloc(0);
    const head = this.#bytes.toString('latin1', 0, end);
    this.status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]);
    this.#length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    this.#bodyAt = end + HEAD_END.length;
    return this.#bytes.subarray(this.#bodyAt);
  }

  get isStream(): boolean {
    return this.status === 200 || this.status === 101;
  }

  /** Only of a response that is no stream. */
  get isComplete(): boolean {
    return this.#bodyAt !== -1 && !this.isStream && this.#bytes.length >= this.#bodyAt + this.#length;
  }

  get body(): string {
    return this.#bytes.toString('utf8', this.#bodyAt);
  }
}

/** Reads a batch. The body is empty if the connection ended before it was complete. */
export function readBatchBytes({ url, key, bytesMax, signal }: Connection): Promise<End> {
  return new Promise((done) => {
    const headers = { Accept: 'application/json', 'X-API-Key': key };
    const sending = request(url, { agent: false, headers, signal }, (response) => {
      let body = Buffer.alloc(0);
      response.on('data', (bytes: Buffer) => {
        body = Buffer.concat([body, bytes]);
        if (bytesMax !== null && body.length >= bytesMax) response.destroy();
      });
      response
        .on('error', () => {}) // Followed by `close`.
        .once('close', () => {
          const { complete, statusCode: status = 0 } = response;
          done({ status, body: complete && !response.errored ? body.toString() : '' });
        });
    });
    sending.on('error', () => done({ status: 0, body: '' })).end();
  });
}
