import type { Position } from '../../../domain/feed/position.js';
import type { Moment } from '../../../domain/moment.js';
import type { MaybePromise } from '../../maybe-promise.js';

/** The change log of the feed as this process follows it. */
export interface FollowedFeed {
  /** The last change that this process has read, and the head after it; null before the first read. */
  readonly state: { readonly position: Position; readonly head: Moment | null } | null;
  /** Whether a stream can continue after a position (`domain/feed/stream-start.ts`). Throws `Unavailable`. */
  stateOf(position: Position): MaybePromise<'valid' | 'ahead' | 'expired'>;
  /**
   * Resolves when this process has every change that was made before this call; concurrent callers share the read. Throws
   * `Unavailable`.
   */
  readNow(): Promise<void>;
}
