import type { Position } from '../../domain/feed/position.js';
import type { KeyHash } from '../../domain/keys/key-value.js';
import type { Moment } from '../../domain/moment.js';

/** A change of accounts: the hashes of the keys that it concerns. `all`: any account may have changed. */
export type AccountChange = { readonly keys: readonly KeyHash[] | 'all' };

/**
 * A change of the feed (D11). `raised`: the head was raised after the store returned to an older state (D45). `knownAt` never falls
 * from one change to the next (D59); null for a change of 0.2.0 before the history, which has no time.
 */
export type FeedChange = { readonly position: Position; readonly knownAt: Moment | null } & (
  | { readonly kind: 'published' | 'replaced'; readonly id: string; readonly scoredAt: Moment }
  | { readonly kind: 'retracted'; readonly id: string }
  | { readonly kind: 'raised'; readonly head: Moment }
);

/** What a reader has applied: the position of the last change in each log. */
export type LogPositions = { readonly accounts: Position; readonly feed: Position };

/**
 * The changes after some positions, of both logs from one snapshot. `expired`: changes after them were removed.
 * `older state`: the store no longer has one of them, because it returned to an older state (D45).
 */
export type LogsRead =
  | {
      readonly found: 'changes';
      /** Both oldest first. */
      readonly accounts: readonly AccountChange[];
      readonly feed: readonly FeedChange[];
      /** The positions after these changes. */
      readonly positions: LogPositions;
      /** False if there are more changes: a log is returned in parts. */
      readonly isComplete: boolean;
    }
  | { readonly found: 'expired' }
  | { readonly found: 'older state' };

/**
 * The logs of the changes of accounts and of the feed. Every copy of stored data is kept current from them.
 *
 * What every adapter guarantees:
 * - every committed change is in its log once, in the order in which the changes became visible; a change that is rolled
 *   back is in no log (T16);
 * - a reader that continues from the positions of its last read gets every change after them, or is told that it cannot;
 * - the log of accounts has every change of the keys or the subscription of an account; it has no change that concerns
 *   only the last use of a key, a claim of due work, the email address or payment facts;
 * - the newest change of a log is never removed;
 * - a store that cannot answer within 1 s throws `Unavailable`.
 */
export interface ChangeLogs {
  /** The positions of the newest changes, from one snapshot. */
  newest(): Promise<LogPositions>;
  /** A call during another call makes the earlier one throw `Unavailable`, and does not wait for it. */
  readAfter(positions: LogPositions): Promise<LogsRead>;
}
