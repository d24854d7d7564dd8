import { constants, gunzipSync, inflateRawSync } from 'node:zlib';
import type { WireForm } from '../../../src/adapters/live/messages/message.js';
import { OPCODE } from '../live/frames.js';

/** A message as a client has received it, with its JSON as it was sent. */
export type ReceivedMessage = {
  readonly type: string;
  readonly position: string;
  readonly json: string;
};

/** Reads the messages of a connection from its bytes, which may be cut anywhere. */
export class FrameReader {
  readonly #form: WireForm;
  readonly #onPing: (content: Buffer) => void;
  #bytes = Buffer.alloc(0);
  /** The bytes of the messages that were returned: of the text after decompression, or of the frames. */
  #read = 0;

  constructor(form: WireForm, onPing: (content: Buffer) => void = () => {}) {
    this.#form = form;
    this.#onPing = onPing;
  }

  /** Adds bytes. Returns the messages that are complete now. */
  push(bytes: Buffer): readonly ReceivedMessage[] {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    switch (this.#form) {
      case 'sse':
        return this.#events(withoutChunks(this.#bytes));
      case 'sse-gzip':
        return this.#events(gunzipped(withoutChunks(this.#bytes)));
      case 'ws':
      case 'ws-deflate':
        return this.#frames();
    }
  }

  #events(text: Buffer): readonly ReceivedMessage[] {
    const messages: ReceivedMessage[] = [];
    for (let end = text.indexOf('\n\n', this.#read); end !== -1; end = text.indexOf('\n\n', this.#read)) {
      messages.push(eventOf(text.toString('utf8', this.#read, end)));
      this.#read = end + 2;
    }
    return messages;
  }

  #frames(): readonly ReceivedMessage[] {
    const messages: ReceivedMessage[] = [];
    for (;;) {
      const frame = frameAt(this.#bytes, this.#read);
      if (frame === null) return messages;
      this.#read = frame.end;
      if (frame.opcode === OPCODE.text) messages.push(received(textOf(frame)));
      else if (frame.opcode === OPCODE.ping) this.#onPing(frame.payload);
    }
  }
}

/** The fields of an event in the text of Server-Sent Events. */
function eventOf(text: string): ReceivedMessage {
  const fields = new Map(
    text.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  const message = received(fields.get('data') ?? '');
  if (fields.get('id') !== message.position || fields.get('event') !== message.type)
    throw new Error(`an event has another id or type than its data: ${text}`);
  return message;
}

/** Throws unless the text is JSON with the members of every message (D49). */
export function received(json: string): ReceivedMessage {
  const { type, position } = JSON.parse(json) as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string' || typeof position !== 'string') throw new Error(`no message: ${json}`);
  return { type, position, json };
}

/** The data of a body with `Transfer-Encoding: chunked`, as far as it has arrived. */
function withoutChunks(body: Buffer): Buffer {
  const data: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at);
    if (end === -1) return Buffer.concat(data);
    const length = Number.parseInt(body.toString('latin1', at, end), 16);
    data.push(body.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}

const HEADER_BYTES = 10;

/** The text of a gzip member, as far as it has arrived. */
const gunzipped = (data: Buffer): Buffer =>
  data.length <= HEADER_BYTES ? Buffer.alloc(0) : gunzipSync(data, { finishFlush: constants.Z_SYNC_FLUSH });

const SYNC_MARKER = Buffer.from([0, 0, 0xff, 0xff]);
const COMPRESSED = 0x40;

type Frame = {
  readonly opcode: number;
  readonly isCompressed: boolean;
  readonly payload: Buffer;
  readonly end: number;
};

/** The frame of a server that begins there; null unless it has arrived completely. */
function frameAt(bytes: Buffer, at: number): Frame | null {
  const [first, short] = [bytes[at], bytes[at + 1]];
  if (first === undefined || short === undefined) return null;
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
  const start = at + 2 + extra;
  if (bytes.length < start) return null;
  const length =
    extra === 0 ? short : extra === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
  const end = start + length;
  if (bytes.length < end) return null;
  const payload = bytes.subarray(start, end);
  return { opcode: first & 0x0f, isCompressed: (first & COMPRESSED) !== 0, payload, end };
}

const textOf = ({ isCompressed, payload }: Frame): string =>
  (isCompressed
    ? inflateRawSync(Buffer.concat([payload, SYNC_MARKER]), { finishFlush: constants.Z_SYNC_FLUSH })
    : payload
  ).toString('utf8');
