/** An event of `text/event-stream`. */
export type StreamEvent = { readonly type: string; readonly data: string };

const LINE_END = /\r\n|\n|\r/;
/** An item has far less. Without a limit, a peer that sends no line end could fill the memory. */
const LINE_CHARACTERS_MAX = 16_000_000;

/**
 * Parses an event stream (WHATWG HTML, server-sent events) from bytes that may be split anywhere, also inside a
 * character or between CR and LF. An incomplete event at the end is never returned. `id` and `retry` are ignored,
 * because every message of the service contains its position and its waiting time.
 */
export class EventStreamParser {
  // Bytes that are not UTF-8 throw: they are damaged, and the event must be requested again.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #incomplete = '';
  #endedWithCr = false;
  #type = '';
  #data: string[] = [];

  /** Returns the events that these bytes complete. */
  push(bytes: Uint8Array): readonly StreamEvent[] {
    const decoded = this.#decoder.decode(bytes, { stream: true });
    if (decoded === '') return [];
    const text = this.#endedWithCr && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    this.#endedWithCr = decoded.endsWith('\r');
    const lines = text.split(LINE_END);
    lines[0] = this.#incomplete + (lines[0] ?? '');
    this.#incomplete = lines.pop() ?? '';
    if (this.#incomplete.length > LINE_CHARACTERS_MAX) throw new Error('a line of the stream is too long');
    return lines.flatMap((line) => this.#read(line) ?? []);
  }

  #read(line: string): StreamEvent | null {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    if (field === 'event') this.#type = value;
    return null;
  }

  #dispatch(): StreamEvent | null {
    const event = { type: this.#type || 'message', data: this.#data.join('\n') };
    const isEvent = this.#data.length > 0;
    this.#type = '';
    this.#data = [];
    return isEvent ? event : null;
  }
}
