import type { ChangeFollower } from '../../../src/adapters/caching/change-follower.js';
import { FeedCopy } from '../../../src/adapters/caching/feed/feed-copy.js';
import { LiveFeed } from '../../../src/adapters/live/changes/live-feed.js';
import type { ChangeLogs } from '../../../src/application/ports/change-logs.js';
import type { FeedHistory } from '../../../src/application/ports/feed/feed-history.js';
import type { FeedStore } from '../../../src/application/ports/feed/feed-store.js';
import { followerOf } from './followed-feed.js';

type Stored = {
  readonly logs: ChangeLogs;
  readonly feed: Pick<FeedStore, 'page' | 'find'>;
  readonly history: FeedHistory;
};

/** A live feed that follows a store through a copy of the feed, as a process on Postgres does. */
export type FollowedLiveFeed = {
  readonly liveFeed: LiveFeed;
  readonly follower: ChangeFollower;
  /** Resolves when the live feed has every change that was made before the call. */
  readonly caughtUp: () => Promise<void>;
};

/** The follower is not started. `make` may set other limits. */
export function liveFeedOf(
  { logs, feed, history }: Stored,
  make = (options: ConstructorParameters<typeof LiveFeed>[0]) => new LiveFeed(options),
): FollowedLiveFeed {
  const follower = followerOf(logs);
  const readNow = () => caughtUp();
  const liveFeed = make({ history, readNow, now: () => performance.now() });
  const copy = new FeedCopy(feed, feed, { max: 10, listener: liveFeed, readNow: () => follower.readNow() });
  follower.keep({
    apply: (changes) => copy.apply(changes.feed),
    rebuild: (position) => copy.rebuild(position),
  });
  const caughtUp = async () => {
    await follower.readNow();
    await copy.updated();
  };
  return { liveFeed, follower, caughtUp };
}
