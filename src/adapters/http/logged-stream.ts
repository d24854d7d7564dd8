import type { PositionToken } from '../../domain/feed/position.js';

/** What became of a stream. */
export type StreamRecord = {
  readonly form: 'sse' | 'websocket' | 'batch';
  /** The items and retractions that were sent. */
  readonly items: number;
  /** The bytes of all messages, as they were written. */
  readonly bytes: number;
  /** The last position that the client has. */
  readonly position: PositionToken;
  /** Why it ended. */
  readonly reason: string | null;
};

/** A stream that a request has opened. */
export type LoggedStream = {
  /** The end of the duration in the metrics, by `performance.now()`; null: the end of the request. */
  readonly measuredUntil: number | null;
  /** For a stream that outlives its request; null for a batch. */
  readonly open: {
    /** The status of a response without end, which nobody can abort. */
    readonly status: number;
    /** Calls `done` when the connection of the stream is closed. */
    readonly whenClosed: (done: () => void) => void;
  } | null;
  readonly record: () => StreamRecord;
};
