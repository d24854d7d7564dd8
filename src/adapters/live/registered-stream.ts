import type { StreamFilter } from '../../domain/feed/stream-filter.js';
import type { StreamPosition } from '../../domain/feed/stream-position.js';
import { isFirstSignOfLife } from '../../domain/limits/streams.js';
import type { Refusal } from '../../domain/refusal.js';
import type { CloseReason } from './connections/stream-sink.js';
import type { RunningStream, StreamFigures } from './open-stream.js';
import type { Stream } from './stream.js';

/** What the registry does for its streams. */
export type StreamOwner = {
  readonly positionOf: (stream: Stream) => StreamPosition;
  readonly closed: (stream: Stream, why: CloseReason) => void;
  readonly subscribe: (stream: Stream, filter: StreamFilter) => 'done' | 'refused';
  readonly end: (stream: Stream, cause: Refusal) => void;
  /** The client answered a ping for the first time, or again after a long time. */
  readonly alive: (stream: Stream) => void;
};

/** An open stream for its connection. A class, because there are thousands: functions for each would take more memory. */
export class RegisteredStream implements RunningStream {
  readonly #stream: Stream;
  readonly #owner: StreamOwner;

  constructor(stream: Stream, owner: StreamOwner) {
    this.#stream = stream;
    this.#owner = owner;
  }

  get figures(): StreamFigures {
    const { changes: items, endReason: reason } = this.#stream;
    return { position: this.#owner.positionOf(this.#stream), items, reason };
  }

  get hasLooked(): boolean {
    return this.#stream.hasLooked;
  }

  closed(why: CloseReason): void {
    this.#owner.closed(this.#stream, why);
  }

  subscribe(filter: StreamFilter): 'done' | 'refused' {
    return this.#owner.subscribe(this.#stream, filter);
  }

  refuse(refusal: Refusal): void {
    this.#owner.end(this.#stream, refusal);
  }

  ponged(): void {
    const isFirst = isFirstSignOfLife(this.#stream.secondsSincePong);
    this.#stream.notePong();
    if (isFirst) this.#owner.alive(this.#stream);
  }
}
