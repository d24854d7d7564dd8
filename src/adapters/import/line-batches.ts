/** Some lines of a file as one body, and the number of each line in the file, counted from 1. */
export type LineBatch = {
  readonly numbers: readonly number[];
  readonly body: Buffer;
  /** The number of bytes of the file up to the end of this batch. */
  readonly readBytes: number;
};

export type BatchLimits = { readonly lines: number; readonly bytes: number };

const BATCH_LIMITS: BatchLimits = { lines: 500, bytes: 4 * 1_024 * 1_024 };
const NEWLINE = 0x0a;

/**
 * The lines of a file in batches. Blank lines are numbered but not sent. Only `\n` separates lines. `node:readline` is
 * not used, because it also splits at other separators, which JSON text may contain.
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

/** A line without its line end; `length` includes the line end. */
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
 * Collects a line. If a line is longer than a batch, keeps only its start, so that the memory is bounded. The service
 * rejects such a line.
 */
class LineBuffer {
  readonly #bytesMax: number;
  readonly #pieces: Uint8Array[] = [];
  #kept = 0;
  length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(piece: Uint8Array): void {
    this.length += piece.length;
    const kept = piece.subarray(0, this.#bytesMax - this.#kept);
    if (kept.length === 0) return;
    this.#pieces.push(kept);
    this.#kept += kept.length;
  }

  whole(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}

class BatchBuffer {
  readonly #limits: BatchLimits;
  #numbers: number[] = [];
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#numbers.length === 0;
  }

  /** Lines are separated by one byte. An empty batch has room for any line. */
  hasRoomFor(line: Buffer): boolean {
    const { lines, bytes } = this.#limits;
    return this.isEmpty || (this.#numbers.length < lines && this.#bytes + 1 + line.length <= bytes);
  }

  add(number: number, line: Buffer): void {
    if (!this.isEmpty) this.#pieces.push(Buffer.of(NEWLINE));
    this.#bytes += line.length + (this.isEmpty ? 0 : 1);
    this.#pieces.push(line);
    this.#numbers.push(number);
  }

  take(readBytes: number): LineBatch {
    const batch = { numbers: this.#numbers, body: Buffer.concat(this.#pieces), readBytes };
    this.#numbers = [];
    this.#pieces = [];
    this.#bytes = 0;
    return batch;
  }
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte <= 0x20);
