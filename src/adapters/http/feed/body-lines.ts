import type { IncomingMessage } from 'node:http';

/** One line of a body. `bytes` is null if it was longer than a line may be. */
export type BodyLine = { readonly number: number; readonly bytes: Buffer | null };

const NEWLINE = 0x0a;

/**
 * The lines of a body as they arrive, with at most one line and one chunk in memory. The last line needs no newline. If
 * the body is larger than `bytesMax`, the iteration ends early and `tooLarge` is true.
 */
export class BodyLines {
  readonly #request: IncomingMessage;
  readonly #bytesMax: number;
  readonly #lineBytesMax: number;
  tooLarge = false;

  constructor(
    request: IncomingMessage,
    { bytesMax, lineBytesMax }: { bytesMax: number; lineBytesMax: number },
  ) {
    this.#request = request;
    this.#bytesMax = bytesMax;
    this.#lineBytesMax = lineBytesMax;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<BodyLine> {
    let number = 1;
    let received = 0;
    let line = new LineBuffer(this.#lineBytesMax);
    for await (const read of this.#request.iterator({ destroyOnReturn: false })) {
      const chunk = read as Buffer;
      received += chunk.length;
      this.tooLarge = received > this.#bytesMax;
      if (this.tooLarge) return;
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        line.add(chunk.subarray(start, end));
        yield { number, bytes: line.whole() };
        number += 1;
        line = new LineBuffer(this.#lineBytesMax);
        start = end + 1;
      }
      line.add(chunk.subarray(start));
    }
    if (line.length > 0) yield { number, bytes: line.whole() };
  }
}

/** Collects the bytes of a line. Discards the bytes of a line that is too long. */
class LineBuffer {
  readonly #bytesMax: number;
  #parts: Buffer[] = [];
  length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(piece: Buffer): void {
    this.length += piece.length;
    if (this.length > this.#bytesMax) this.#parts = [];
    else if (piece.length > 0) this.#parts.push(piece);
  }

  whole(): Buffer | null {
    return this.length > this.#bytesMax ? null : Buffer.concat(this.#parts);
  }
}
