import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { PositionToken } from '../../../domain/feed/position.js';
import { GZIP_HEADER } from './gzip-header.js';
import type { Message } from './message.js';
import { stored } from './stored-block.js';

/** A batch as one response (D58). */
export type Batch = {
  readonly messages: readonly Message[];
  readonly position: PositionToken;
  /** Whether there can be further changes already. */
  readonly more: boolean;
  /** The parameters of the request that the stream does not know (D13). */
  readonly ignored: readonly string[];
  /** The names of the filters that it honoured (D65). */
  readonly filters: readonly string[];
};

/** The last deflate block: empty, with a checksum and the size of the whole text to follow (RFC 1952). */
const FINAL_BLOCK = Buffer.from([1, 0, 0, 0xff, 0xff]);

/** After this number of messages, other requests are served: a content may not be compressed yet. */
const MESSAGES_PER_SLICE = 20;

const listed = (name: string, names: readonly string[]): string =>
  names.length > 0 ? `,"${name}":${JSON.stringify(names)}` : '';

/** The parts of the text: short ones, and contents that may be compressed already. */
function* parts({ messages, position, more, ignored, filters }: Batch) {
  const names = listed('ignored', ignored) + listed('filters', filters);
  let text = '{"messages":[';
  for (const [i, message] of messages.entries()) {
    yield {
      text: Buffer.from(`${text}${message.start}`),
      content: message.content,
      endsSlice: i % MESSAGES_PER_SLICE === 0,
    };
    text = ',';
  }
  yield {
    text: Buffer.from(
      `${messages.length === 0 ? text : ''}],"position":"${position}","more":${more}${names}}`,
    ),
    content: null,
    endsSlice: false,
  };
}

/** `{"messages":[…],"position":…,"more":…}`, and `ignored` and `filters` if there are such parameters. */
export const batchBody = (batch: Batch): Buffer =>
  Buffer.concat(
    [...parts(batch)].flatMap(({ text, content }) => (content === null ? [text] : [text, content.text])),
  );

/** The same, compressed: joined from the compressed contents, so that none is compressed again. */
export async function gzippedBatchBody(batch: Batch): Promise<Buffer> {
  const pieces: Buffer[] = [GZIP_HEADER];
  let checksum = 0;
  let size = 0;
  const add = (text: Buffer, compressed: Buffer) => {
    checksum = crc32(text, checksum);
    size += text.length;
    pieces.push(compressed);
  };
  for (const { text, content, endsSlice } of parts(batch)) {
    if (endsSlice) await setImmediate();
    add(text, stored(text));
    if (content !== null) add(content.text, content.deflated);
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(size, 4);
  return Buffer.concat([...pieces, FINAL_BLOCK, trailer]);
}
