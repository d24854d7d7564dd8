import type { SharedMessages } from '../../fast-paths/shared-messages.js';
import type { Message } from '../messages/message.js';
import type { EndCause, StreamSink } from './stream-sink.js';

/** How a batch ended. */
export type BatchEnd = {
  /** Complete, or what is answered instead of it. */
  readonly end: 'complete' | Exclude<EndCause, 'restart'>;
  /** Whether it ended before the newest change. */
  readonly hasMore: boolean;
  /** Since it had caught up. */
  readonly waitedMs: number;
};

/**
 * Collects the items and retractions of a stream for one response (D58). It is complete when it is full, when the stream
 * has caught up and it has a message, when it has looked at as much as its permit covers, or when its time is over.
 */
export class BatchSink implements StreamSink {
  readonly form = 'batch';
  readonly #limit: number;
  readonly #waitMs: number;
  readonly #messages: Message[] = [];
  /** It has caught up, and waits for its first message. */
  #waiting: { readonly since: number; readonly timer: NodeJS.Timeout } | null = null;
  #resolve: (end: BatchEnd) => void = () => {};
  #isEnded = false;
  readonly ended = new Promise<BatchEnd>((resolve) => {
    this.#resolve = resolve;
  });

  /** `waitMs` is the longest wait for the first message, from when it has caught up. */
  constructor({ limit, waitMs }: { readonly limit: number; readonly waitMs: number }) {
    this.#limit = limit;
    this.#waitMs = waitMs;
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
    if (this.room <= 0) this.#end('complete', true);
    return this.isWritable;
  }

  sendShared({ messages }: SharedMessages): void {
    this.send(messages);
  }

  /** A batch that takes no more messages never does again. */
  whenWritable(): void {}

  caughtUp(): void {
    if (this.#messages.length > 0 || this.#waitMs === 0) this.#end('complete', false);
    else if (!this.#isEnded && this.#waiting === null) {
      // A timer may fire early by the clock: then the whole wait counts all the same.
      const timer = setTimeout(() => this.#end('complete', false, this.#waitMs), this.#waitMs);
      this.#waiting = { since: performance.now(), timer };
    }
  }

  permitUsed(): void {
    this.#end('complete');
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

  #end(end: BatchEnd['end'], hasMore = this.#waiting === null, waitedMs = this.#waitedMs()): void {
    this.#isEnded = true;
    clearTimeout(this.#waiting?.timer);
    this.#resolve({ end, hasMore, waitedMs });
  }

  #waitedMs(): number {
    return this.#waiting === null ? 0 : performance.now() - this.#waiting.since;
  }
}
