const LINE_END = /\r\n|\n|\r/;
/** An item has far less. Without a limit, a peer that sends no line end could fill the memory. */
const LINE_CHARACTERS_MAX = 16_000_000;

/**
 * Splits bytes into lines. The bytes may be split anywhere, also inside a character or between CR and LF. An incomplete
 * line at the end is never returned.
 */
export class LineParser {
  // Bytes that are not UTF-8 throw: they are damaged, and the line must be requested again.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #incomplete = '';
  #endedWithCr = false;

  /** Returns the lines that these bytes complete. */
  push(bytes: Uint8Array): readonly string[] {
    const decoded = this.#decoder.decode(bytes, { stream: true });
    if (decoded === '') return [];
    const text = this.#endedWithCr && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    this.#endedWithCr = decoded.endsWith('\r');
    const lines = text.split(LINE_END);
    lines[0] = this.#incomplete + (lines[0] ?? '');
    this.#incomplete = lines.pop() ?? '';
    if (this.#incomplete.length > LINE_CHARACTERS_MAX) throw new Error('a line of the stream is too long');
    return lines;
  }
}
