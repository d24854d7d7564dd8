import type { BatchLimits } from '../../../domain/destinations/batch-limits.js';
import type { DestinationId } from '../../../domain/destinations/destination.js';
import type { Position } from '../../../domain/feed/position.js';
import type { StreamFilter } from '../../../domain/feed/stream-filter.js';
import type { Moment } from '../../../domain/moment.js';
import type { MaybePromise } from '../../maybe-promise.js';

/** The changes after a position that pass a filter. */
export type Collected = {
  /** Every change up to it was looked at. */
  readonly until: Position;
  /** The JSON of each message, as streams send it (D49). */
  readonly messages: readonly Buffer[];
  /** Whether this process has no later change. */
  readonly isEnd: boolean;
  /** When the first message became known; null without messages. */
  readonly firstKnownAt: Moment | null;
};

/** Without limits, the changes up to `until` are those of a batch that was within them. */
type Bounds =
  | Pick<BatchLimits, 'messages' | 'bytes'>
  | { readonly until: Position }
  | (Pick<BatchLimits, 'messages' | 'bytes'> & { readonly until: Position });

/**
 * The feed as destinations need it: from the same changes, messages and filters as streams.
 *
 * What every adapter guarantees:
 * - `collect` returns the changes in the order of the log, without those that a later one supersedes. With `until` it looks at
 *   all changes up to that one. `gone`: the log does not have them any more;
 * - a listener is called once for each destination that has matched a change, after the process can collect it;
 * - a process that does not know the log throws `Unavailable`.
 */
export interface FeedBatches {
  /** The newest change that this process has. */
  newest(): Position;
  /** Whether the log has this change (D45). */
  isValid(position: Position): MaybePromise<boolean>;
  collect(filter: StreamFilter, from: Position, bounds: Bounds): Promise<Collected | 'gone'>;
  /** Begins to match changes for a destination, or replaces its filter. */
  follow(id: DestinationId, filter: StreamFilter): void;
  unfollow(id: DestinationId): void;
  /**
   * `before`: the newest change before those that may pass the filter. This and `onRebuild` return a function that removes the
   * listener.
   */
  onMatch(listener: (id: DestinationId, before: Position) => void): () => void;
  /** The store returned to an older state, or changes were missed. */
  onRebuild(listener: () => void): () => void;
}
