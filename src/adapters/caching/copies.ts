import { RaiseFeedHead } from '../../application/feed/raise-feed-head.js';
import type { ChangeLogs } from '../../application/ports/change-logs.js';
import type { Clock } from '../../application/ports/clock.js';
import type { FeedHead, FeedItems, FeedPages } from '../../application/ports/feed/feed-store.js';
import type { Invalidations } from '../../application/ports/invalidations.js';
import type { StoredGate } from '../../application/ports/keys/gate.js';
import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';
import { type Duration, MILLISECOND } from '../../domain/moment.js';
import type { AccountChanges } from './account-changes.js';
import { CachedGate } from './cached-gate.js';
import { ChangeFollower, type Pauses } from './change-follower.js';
import type { CopyListener } from './feed/copy-listener.js';
import { FeedCopy } from './feed/feed-copy.js';

type Options = {
  /** What is copied. Items of the feed are read from the primary. */
  readonly gate: StoredGate;
  readonly feed: FeedItems & FeedHead;
  readonly feedPages: FeedPages;
  readonly clock: Clock;
  readonly logs: ChangeLogs;
  readonly invalidations: Pick<Invalidations, 'listen'>;
  readonly monotonicClock: MonotonicClock;
  readonly pauses: Pauses;
  readonly isStoreAway: () => boolean;
  /** What else follows the logs, through these copies: the streams. */
  readonly liveFeed: CopyListener;
  readonly accountChanges: AccountChanges;
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
  const { logs, pauses, isStoreAway, monotonicClock: now, metrics, log, config, liveFeed } = options;
  const report = (message: string) => (fault: unknown) => log.error({ err: fault }, message);
  const copy = new FeedCopy(options.feedPages, options.feed, {
    max: config.hotItems,
    report: report('the feed copy could not be updated'),
    listener: liveFeed,
    readNow: () => follower.readNow(),
  });
  const raising = new RaiseFeedHead(options);
  const onOlderState = () => {
    log.error({ dependency: 'Postgres' }, 'the database returned to an older state: copies are rebuilt');
    // Written after the next read: a store that cannot be written to must not delay the rebuild.
    copy.keepHead(raising.note(copy.greatestHead));
  };
  const onFault = report('the change logs could not be read');
  const follower = new ChangeFollower({ logs, now, pauses, isStoreAway, onOlderState, report: onFault });
  const gate = new CachedGate({
    gate: options.gate,
    follower,
    invalidations: options.invalidations,
    now,
    maxStaleMs: config.gateMaxStale / MILLISECOND,
    compareAfterMs: config.keyCompareMs,
    report: report('a key could not be looked up in the background'),
    onDivergence: ({ key }) => {
      metrics.divergence();
      log.error({ key: key.id }, 'the copy of a key differs from the database, but no change was logged');
    },
  });
  follower.keep({
    apply: (changes) => {
      gate.apply(changes.accounts);
      options.accountChanges.notify(changes.accounts);
      copy.apply(changes.feed);
      raising.write().catch(report('the head could not be raised'));
    },
    rebuild: (position) => {
      gate.dropAll();
      options.accountChanges.notify([{ keys: 'all' }]);
      copy.rebuild(position);
    },
  });
  options.invalidations.listen(() => follower.readSoon());
  metrics.observeCopies(copy.figures, () => follower.age);
  return { gate, copy, follower };
}
