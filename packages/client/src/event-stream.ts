import { LineParser } from './lines.js';

/** An event of `text/event-stream`. */
export type StreamEvent = { readonly type: string; readonly data: string };

/**
 * Parses an event stream (WHATWG HTML, server-sent events) from bytes that may be split anywhere. An incomplete event at
 * the end is never returned. `id` and `retry` are ignored, because every message of the service contains its position
 * and its waiting time.
 */
export class EventStreamParser {
  readonly #lines = new LineParser();
  #type = '';
  #data: string[] = [];

  /** Returns the events that these bytes complete. */
  push(bytes: Uint8Array): readonly StreamEvent[] {
    return this.#lines.push(bytes).flatMap((line) => this.#read(line) ?? []);
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
