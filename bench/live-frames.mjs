const END_OF_HEADER = Buffer.from('\r\n\r\n');
const END_OF_LINE = Buffer.from('\r\n');
const SSE_TYPE = Buffer.from('event: ');
const JSON_TYPE = Buffer.from('"type":"');
const NEW_LINE = 0x0a;
const QUOTE = 0x22;
const OPCODES = new Map([
  [0x8, 'close'],
  [0x9, 'ping'],
  [0xa, 'pong'],
]);
/** Payloads of WebSocket frames from these lengths on have 2 and 8 more bytes of length. */
const LENGTH_OF_2_BYTES = 126;
const LENGTH_OF_8_BYTES = 127;

/** How the frames of a form end, and where their type is. Compressed frames begin with a block that is not compressed. */
const FORMS = {
  sse: { status: '200', endOf: endOfChunk, typeOf: typeOfChunk },
  websocket: { status: '101', endOf: endOfWebSocketFrame, typeOf: typeOfWebSocketFrame },
};

/**
 * Splits what a stream sends into frames: chunks of a response with Server-Sent Events, or WebSocket frames. It does not
 * decompress them, because readers that decompress would need more CPU time than the service that they measure.
 */
export class FrameReader {
  #form;
  #isOpen = false;
  #rest = Buffer.alloc(0);

  /** `form`: `sse` or `websocket`. */
  constructor(form) {
    this.#form = FORMS[form];
  }

  /**
   * Calls `take` with the type of each frame that ends in `received`, the bytes, and where in them the frame begins and ends.
   * The type is that of the message, or `ping`, `pong`, `close`, `other`. Keeps no reference to `received`. Throws if the
   * stream was refused.
   */
  read(received, take) {
    const { endOf, typeOf } = this.#form;
    const bytes = this.#rest.length === 0 ? received : Buffer.concat([this.#rest, received]);
    let from = this.#isOpen ? 0 : this.#endOfHeader(bytes);
    while (this.#isOpen) {
      const to = endOf(bytes, from);
      if (to === -1 || to > bytes.length) break;
      take(typeOf(bytes, from, to), bytes, from, to);
      from = to;
    }
    this.#rest = from === bytes.length ? NOTHING : Buffer.from(bytes.subarray(from));
  }

  #endOfHeader(bytes) {
    const end = bytes.indexOf(END_OF_HEADER);
    if (end === -1) return 0;
    const text = bytes.toString('latin1');
    if (text.split(' ', 2)[1] !== this.#form.status)
      throw new Error(`the stream was refused: ${text.slice(0, 1_000)}`);
    this.#isOpen = true;
    return end + END_OF_HEADER.length;
  }
}

const NOTHING = Buffer.alloc(0);

/** -1 if the length is not complete. */
function endOfChunk(bytes, from) {
  const line = bytes.indexOf(END_OF_LINE, from);
  if (line === -1) return -1;
  const length = Number.parseInt(bytes.latin1Slice(from, line), 16);
  return line + length + 2 * END_OF_LINE.length;
}

function endOfWebSocketFrame(bytes, from) {
  if (bytes.length < from + 2) return -1;
  const length = bytes[from + 1];
  if (length < LENGTH_OF_2_BYTES) return from + 2 + length;
  const [start, read] = length === LENGTH_OF_8_BYTES ? [10, 'readBigUInt64BE'] : [4, 'readUInt16BE'];
  return bytes.length < from + start ? -1 : from + start + Number(bytes[read](from + 2));
}

function typeOfChunk(bytes, from, to) {
  const at = bytes.indexOf(SSE_TYPE, from);
  return at === -1 || at >= to ? 'other' : textUntil(bytes, at + SSE_TYPE.length, NEW_LINE);
}

function typeOfWebSocketFrame(bytes, from) {
  const control = OPCODES.get(bytes[from] & 0x0f);
  if (control !== undefined) return control;
  return textUntil(bytes, bytes.indexOf(JSON_TYPE, from) + JSON_TYPE.length, QUOTE);
}

const textUntil = (bytes, from, end) => bytes.latin1Slice(from, bytes.indexOf(end, from));

const WEB_SOCKET_FIELDS = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'b2Rkc3dpcmUtYmVuY2gtMQ==',
  'Sec-WebSocket-Extensions': 'permessage-deflate',
};

/** The request for a compressed stream of a form. */
export function streamRequest(form, url, key, path = '/pm/v2/stream') {
  const fields = {
    Host: new URL(url).host,
    'X-API-Key': key,
    ...(form === 'sse' ? { Accept: 'text/event-stream', 'Accept-Encoding': 'gzip' } : WEB_SOCKET_FIELDS),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/**
 * The answer to the ping that is a frame in `bytes`: with its data, or the service closes the connection. Clients mask their
 * frames; a mask of zeros changes nothing.
 */
export function pongTo(bytes, from, to) {
  const data = bytes.subarray(from + 2, to);
  return Buffer.concat([Buffer.from([0x8a, 0x80 | data.length, 0, 0, 0, 0]), data]);
}
