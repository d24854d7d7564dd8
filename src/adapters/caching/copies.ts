import { RaiseFeedHead } from '../../application/feed/raise-feed-head.js';
import type { ChangeLogs } from '../../application/ports/change-logs.js';
import type { Clock } from '../../application/ports/clock.js';
import type { FeedStore } from '../../application/ports/feed/feed-store.js';
import type { Invalidations } from '../../application/ports/invalidations.js';
import type { Gate } from '../../application/ports/keys/gate.js';
import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';
import { type Duration, MILLISECOND } from '../../domain/moment.js';
import { CachedGate } from './cached-gate.js';
import { ChangeFollower, type Pauses } from './change-follower.js';
import { FeedCopy } from './feed-copy.js';
import { storedPages } from './stored-pages.js';

type Options = {
  /** What is copied. Items of the feed are read from the primary. */
  readonly gate: Gate;
  readonly feed: Pick<FeedStore, 'page' | 'find' | 'raiseHead'>;
  readonly clock: Clock;
  readonly logs: ChangeLogs;
  readonly invalidations: Pick<Invalidations, 'listen'>;
  readonly monotonicClock: MonotonicClock;
  readonly pauses: Pauses;
  readonly isStoreAway: () => boolean;
  readonly config: {
    /** The number of newest items to copy. */
    readonly hotItems: number;
    readonly gateMaxStale: Duration;
    readonly keyCompareMs: number;
  };
  readonly metrics: {
    divergence(): void;
    observeCopies(feed: FeedCopy['figures'], logAgeMs: () => number | null): void;
  };
  readonly log: { error(fields: object, message: string): void };
};

/** The copies of a process: keys and their subscriptions, and the newest items of the feed. They follow the change logs. */
export function processCopies(options: Options) {
  const { logs, pauses, isStoreAway, monotonicClock: now, metrics, log, config } = options;
  const report = (message: string) => (fault: unknown) => log.error({ err: fault }, message);
  const feed = new FeedCopy(options.feed, config.hotItems, report('the feed copy could not be updated'));
  const raising = new RaiseFeedHead(options);
  const onOlderState = () => {
    log.error({ dependency: 'Postgres' }, 'the database returned to an older state: copies are rebuilt');
    // Written after the next read: a store that cannot be written to must not delay the rebuild.
    feed.keepHead(raising.note(feed.greatestHead));
  };
  const onFault = report('the change logs could not be read');
  const follower = new ChangeFollower({ logs, now, pauses, isStoreAway, onOlderState, report: onFault });
  const gate = new CachedGate({
    ...{ gate: options.gate, follower, invalidations: options.invalidations, now },
    maxStaleMs: config.gateMaxStale / MILLISECOND,
    compareAfterMs: config.keyCompareMs,
    report: report('the copy of a key could not be compared'),
    onDivergence: ({ key }) => {
      metrics.divergence();
      log.error({ key: key.id }, 'the copy of a key differs from the database, but no change was logged');
    },
  });
  follower.keep({
    apply: (changes) => {
      gate.apply(changes.accounts);
      feed.apply(changes.feed);
      raising.write().catch(report('the head could not be raised'));
    },
    rebuild: (position) => {
      gate.dropAll();
      feed.rebuild(position);
    },
  });
  options.invalidations.listen(() => follower.readSoon());
  metrics.observeCopies(feed.figures, () => follower.age);
  return { gate, feed, follower, page: storedPages(options.feed, feed, follower) };
}
