/** Some lines of a file as one body, and where each of them stands in the file, counted from 1. */
export type LineBatch = {
  readonly numbers: readonly number[];
  readonly body: Buffer;
  /** How much of the file this batch and those before it take up. */
  readonly readBytes: number;
};

export type BatchLimits = { readonly lines: number; readonly bytes: number };

const BATCH_LIMITS: BatchLimits = { lines: 500, bytes: 4 * 1_024 * 1_024 };
const NEWLINE = 0x0a;

/**
 * The lines of a file in batches. Blank lines count and are left out. Only `\n` parts lines: text in
 * JSON may hold the other separators that `node:readline` would part at.
 */
export async function* lineBatches(
  chunks: AsyncIterable<Uint8Array>,
  limits: BatchLimits = BATCH_LIMITS,
): AsyncGenerator<LineBatch> {
  const batch = new BatchBuffer(limits);
  let readBytes = 0;
  let number = 0;
  for await (const { bytes, length } of linesOf(chunks, limits.bytes)) {
    number += 1;
    if (!isBlank(bytes)) {
      if (!batch.hasRoomFor(bytes)) yield batch.take(readBytes);
      batch.add(number, bytes);
    }
    readBytes += length;
  }
  if (!batch.isEmpty) yield batch.take(readBytes);
}

/** A line without its end, and how much of the file it takes up with it. */
type Line = { readonly bytes: Buffer; readonly length: number };

async function* linesOf(chunks: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Line> {
  let line = new LineBuffer(bytesMax);
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      line.add(chunk.subarray(start, end));
      yield { bytes: line.whole(), length: line.length + 1 };
      line = new LineBuffer(bytesMax);
      start = end + 1;
    }
    line.add(chunk.subarray(start));
  }
  if (line.length > 0) yield { bytes: line.whole(), length: line.length };
}

/**
 * A line in the making. Of one that is longer than a batch only the start is kept: enough for the
 * service to reject it, and memory stays bounded whatever the file is.
 */
class LineBuffer {
  readonly #bytesMax: number;
  readonly #parts: Uint8Array[] = [];
  #kept = 0;
  length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(piece: Uint8Array): void {
    this.length += piece.length;
    const kept = piece.subarray(0, this.#bytesMax - this.#kept);
    if (kept.length === 0) return;
    this.#parts.push(kept);
    this.#kept += kept.length;
  }

  whole(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

class BatchBuffer {
  readonly #limits: BatchLimits;
  #numbers: number[] = [];
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#numbers.length === 0;
  }

  /** Lines are parted by one byte each. An empty batch has room for any line. */
  hasRoomFor(line: Buffer): boolean {
    const { lines, bytes } = this.#limits;
    return this.isEmpty || (this.#numbers.length < lines && this.#bytes + 1 + line.length <= bytes);
  }

  add(number: number, line: Buffer): void {
    if (!this.isEmpty) this.#parts.push(Buffer.of(NEWLINE));
    this.#bytes += line.length + (this.isEmpty ? 0 : 1);
    this.#parts.push(line);
    this.#numbers.push(number);
  }

  take(readBytes: number): LineBatch {
    const batch = { numbers: this.#numbers, body: Buffer.concat(this.#parts), readBytes };
    this.#numbers = [];
    this.#parts = [];
    this.#bytes = 0;
    return batch;
  }
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte <= 0x20);
