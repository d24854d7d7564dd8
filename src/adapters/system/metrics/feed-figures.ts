import type { Position } from '../../../domain/feed/position.js';
import type { Moment } from '../../../domain/moment.js';

/** State of the feed in this process. For null the metric has no sample, because 0 would look like a value. */
export type FeedFigures = {
  /** The last change served; null before the first read of the feed. */
  readonly position: Position | null;
  /** Null if the process keeps no copy, or before the copy is complete. */
  readonly copiedItems: number | null;
  /** Null while the feed is empty. */
  readonly head: Moment | null;
};
