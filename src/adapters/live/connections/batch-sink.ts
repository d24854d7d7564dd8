import type { Message } from '../messages/message.js';
import type { SharedMessages } from '../messages/shared-messages.js';
import type { EndCause, StreamSink } from './stream-sink.js';

/** How a batch ended: complete, or with what is answered instead of it. */
export type BatchEnd = 'complete' | Exclude<EndCause, 'restart'>;

/**
 * Collects the items and retractions of a stream for one response (D58). It is complete when it is full, when the stream
 * has caught up and it has a message, or when its time is over.
 */
export class BatchSink implements StreamSink {
  readonly form = 'batch';
  readonly #limit: number;
  readonly #mayWait: boolean;
  readonly #messages: Message[] = [];
  readonly #timer: NodeJS.Timeout | undefined;
  #resolve: (end: BatchEnd) => void = () => {};
  #isEnded = false;
  readonly ended = new Promise<BatchEnd>((resolve) => {
    this.#resolve = resolve;
  });

  /** `waitMs` is the longest wait for the first message. */
  constructor({ limit, waitMs }: { readonly limit: number; readonly waitMs: number }) {
    this.#limit = limit;
    this.#mayWait = waitMs > 0;
    if (this.#mayWait) this.#timer = setTimeout(() => this.#end('complete'), waitMs);
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get isWritable(): boolean {
    return !this.#isEnded;
  }

  get room(): number {
    return this.#limit - this.#messages.length;
  }

  /** Nothing is written before the batch is complete. */
  get bytes(): number {
    return 0;
  }

  send(messages: readonly Message[]): boolean {
    if (this.#isEnded) return false;
    this.#messages.push(...messages.filter(({ type }) => type === 'item' || type === 'retraction'));
    if (this.room <= 0) this.#end('complete');
    return this.isWritable;
  }

  sendShared({ messages }: SharedMessages): void {
    this.send(messages);
  }

  /** A batch that takes no more messages never does again. */
  whenWritable(): void {}

  caughtUp(): void {
    if (this.#messages.length > 0 || !this.#mayWait) this.#end('complete');
  }

  /** A refusal is answered instead of the batch; otherwise the messages so far are a valid batch. */
  end(_closing: Message, _status: number, cause: EndCause): void {
    if (cause === 'restart') this.#end('complete');
    else this.#end(typeof cause === 'string' && this.#messages.length > 0 ? 'complete' : cause);
  }

  /** The client is gone. */
  destroy(): void {
    this.#end('complete');
  }

  #end(end: BatchEnd): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#resolve(end);
  }
}
