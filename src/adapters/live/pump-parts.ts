import type { TakeReplayPermit } from '../../application/limits/take-replay-permit.js';
import type { Clock } from '../../application/ports/clock.js';
import type { FeedHistory } from '../../application/ports/feed/feed-history.js';
import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';
import type { Refusal } from '../../domain/refusal.js';
import type { LiveFeed } from './changes/live-feed.js';
import type { Stream } from './stream.js';

/** What `Pump` and the parts of it need. */
export type PumpParts = {
  readonly liveFeed: Pick<LiveFeed, 'entry' | 'position' | 'readApplied' | 'state' | 'stateOf'>;
  readonly feedHistory: Pick<FeedHistory, 'itemsAfter'>;
  readonly takeReplayPermit: TakeReplayPermit;
  readonly monotonicClock: MonotonicClock;
  readonly clock: Clock;
  /** Ends a stream with the problem of a refusal. */
  readonly end: (stream: Stream, why: Refusal | 'position_expired' | 'unavailable') => void;
  readonly notes: {
    /** Messages that were given to a connection, and the milliseconds since this process got the last change in them. */
    readonly delivered: (stream: Stream, changes: number, lagMs: number | null) => void;
    readonly replayPermit: () => void;
  };
  readonly report: (fault: unknown) => void;
  /** Between two slices of the streams that are behind. */
  readonly pauseMs: number;
};

/**
 * What a stream waits for after a step. `null`: for the next change. `used`: it is a batch that has looked at as much as its
 * permit covers.
 */
export type Wait = Promise<unknown> | 'turn' | 'used' | 'ended' | null;
