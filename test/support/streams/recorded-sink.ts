import type { SharedMessages } from '../../../src/adapters/fast-paths/shared-messages.js';
import type { StreamSink } from '../../../src/adapters/live/connections/stream-sink.js';
import type { Message, WireForm } from '../../../src/adapters/live/messages/message.js';

const GZIP_HEADER = Buffer.from('a\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\r\n', 'latin1');

type Options = {
  readonly form: WireForm;
  /** Accepts each write only when `accept` is called. */
  readonly isSlow: boolean;
  readonly onSent: (messages: readonly Message[]) => void;
};

/** The connection of a stream, whose bytes a test delivers. */
export class RecordedSink implements StreamSink {
  readonly form: 'sse' | 'websocket';
  readonly room = Number.POSITIVE_INFINITY;
  readonly #options: Options;
  /** What has not been delivered. */
  #written: Buffer[];
  bytes = 0;
  #isWritable = true;
  #waiting: (() => void) | null = null;
  isClosed = false;

  constructor(options: Options) {
    this.#options = options;
    this.form = options.form.startsWith('sse') ? 'sse' : 'websocket';
    this.#written = options.form === 'sse-gzip' ? [GZIP_HEADER] : [];
  }

  get isWritable(): boolean {
    return this.#isWritable && !this.isClosed;
  }

  send(messages: readonly Message[]): boolean {
    this.#mustBeWritable();
    this.#write(
      messages,
      messages.map((message) => message.frame(this.#options.form)),
    );
    return this.isWritable;
  }

  sendShared(shared: SharedMessages): void {
    this.#mustBeWritable();
    this.#write(shared.messages, [shared.frame(this.#options.form)]);
  }

  #mustBeWritable(): void {
    if (this.isClosed) throw new Error('messages were sent on a closed connection');
    if (!this.#isWritable)
      throw new Error('messages were sent before the connection had accepted the others');
  }

  whenWritable(done: () => void): void {
    if (this.#waiting !== null) throw new Error('a stream waits twice for its connection');
    this.#waiting = done;
    if (this.#isWritable) this.accept();
  }

  /** The connection accepts everything that was written. */
  accept(): void {
    this.#isWritable = true;
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting !== null) queueMicrotask(waiting);
  }

  caughtUp(): void {}

  permitUsed(): void {}

  end(closing: Message): void {
    this.#write([closing], [closing.frame(this.#options.form)]);
    this.isClosed = true;
  }

  destroy(): void {
    this.isClosed = true;
  }

  /** Delivers this share of the bytes that are under way. */
  deliver(share: number): Buffer {
    const bytes = Buffer.concat(this.#written);
    const count = Math.round(bytes.length * share);
    this.#written = [bytes.subarray(count)];
    return bytes.subarray(0, count);
  }

  #write(messages: readonly Message[], frames: readonly Buffer[]): void {
    this.#options.onSent(messages);
    this.#written.push(...frames);
    for (const { length } of frames) this.bytes += length;
    if (this.#options.isSlow) this.#isWritable = false;
  }
}
