import type { Admitted } from '../../application/limits/admit-request.js';
import type { MaybePromise } from '../../application/maybe-promise.js';
import type { StreamFilter } from '../../domain/feed/stream-filter.js';
import type { Progress } from '../../domain/feed/stream-position.js';
import type { StreamStart } from '../../domain/feed/stream-start.js';
import type { KeyHash } from '../../domain/keys/key-value.js';
import type { Refusal } from '../../domain/refusal.js';
import type { CloseReason, EndCause, StreamSink } from './connections/stream-sink.js';

/** A request for a stream (D47). The gateway has admitted it. */
export type StreamRequest = {
  /** `batch`: needs no slot, and its stream ends when the batch is complete (D58). */
  readonly form: StreamSink['form'];
  readonly hash: KeyHash;
  readonly admitted: Admitted;
  /** The client address. */
  readonly source: string;
  readonly start: StreamStart;
  readonly filter: StreamFilter;
  /** Whether the client sent a position of its own: the stream may then replace an older one of the same key (D51). */
  readonly isResumed: boolean;
  readonly requestId: string;
  /** The parameters that the stream does not know, for `ready` (D13). */
  readonly ignored: readonly string[];
  /** The problem document for `closing`. */
  readonly problemOf: (cause: EndCause) => { readonly status: number; readonly document: object };
};

/** A stream that may start: its slot is taken. Exactly one of its functions is called, and once. */
export type PreparedStream = {
  /** False for a batch beyond the batches of one subscription that may wait at once: it is answered at once (D58). */
  readonly mayWait: boolean;
  /** Sends `ready`, then what follows. May call the sink before it returns. */
  start(sink: StreamSink): RunningStream;
  /** The client is gone: frees the slot. */
  abandon(): void;
};

export type StreamFigures = {
  /** The own position of the stream (D49): everything up to it was sent or did not pass the filter. */
  readonly position: Progress;
  /** The number of sent items and retractions. */
  readonly items: number;
  /** Null while the stream is open. */
  readonly reason: CloseReason | null;
};

export type RunningStream = {
  readonly figures: StreamFigures;
  /** Whether it has looked at an item or a change before it had caught up, sent or not. */
  readonly hasLooked: boolean;
  /**
   * The connection is closed, or the batch is complete. After the service has ended the stream, this only frees what the
   * stream still holds.
   */
  closed(why: CloseReason): void;
  /** Replaces the filter, and sends `subscribed` (D55). `refused` during a replay. */
  subscribe(filter: StreamFilter): 'done' | 'refused';
  /** The client sent a message that is not valid: `closing` says why, and the connection is closed (D55). */
  refuse(refusal: Refusal): void;
  /** The client answered a ping. */
  ponged(): void;
};

/**
 * Opens a stream: checks its start and takes its slot (D46, D48, D51). `overloaded` beyond `STREAMS_MAX`, `restart` while
 * the service stops. Throws `Unavailable` if the start cannot be checked.
 */
export type OpenStream = (
  request: StreamRequest,
) => MaybePromise<PreparedStream | Refusal | 'overloaded' | 'restart'>;
