import { ChangeFollower } from '../../../src/adapters/caching/change-follower.js';
import { FeedCopy } from '../../../src/adapters/caching/feed/feed-copy.js';
import { MemoryAccounts } from '../../../src/adapters/memory/accounts/memory-accounts.js';
import type { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { MemoryChangeLogs } from '../../../src/adapters/memory/memory-change-logs.js';
import type { ChangeLogs } from '../../../src/application/ports/change-logs.js';
import type { FeedStore } from '../../../src/application/ports/feed/feed-store.js';

/** A process that is never paused. */
export const NEVER_PAUSED = { lastWokeAt: () => null, onWake: () => () => {} };

/** An instance beside others, and the only instance. Their store is always there. */
export const AMONG_OTHERS = {
  now: () => performance.now(),
  isAlone: () => false,
  isStoreAway: () => false,
};
export const ALONE = { ...AMONG_OTHERS, isAlone: () => true };

/** A follower whose store is always there. */
export const followerOf = (logs: ChangeLogs, report: (fault: unknown) => void = () => {}): ChangeFollower =>
  new ChangeFollower({
    logs,
    now: () => performance.now(),
    pauses: NEVER_PAUSED,
    isStoreAway: () => false,
    onOlderState: () => {},
    report,
  });

/** A copy of a feed, and the follower that keeps it current. */
export type FollowedFeed = {
  readonly copy: FeedCopy;
  readonly follower: ChangeFollower;
  /** Resolves when the copy has every change that was made before the call. */
  readonly caughtUp: () => Promise<void>;
};

/** `read` is the feed that the copy reads items from: the store itself, or a wrapper of it. */
export async function followedFeed(
  stored: MemoryFeedStore,
  max: number,
  read: Pick<FeedStore, 'page' | 'find'> = stored,
): Promise<FollowedFeed> {
  const copy = new FeedCopy(read, read, { max, readNow: () => follower.readNow() });
  const follower = followerOf(new MemoryChangeLogs(new MemoryAccounts(), stored));
  follower.keep({
    apply: ({ feed }) => copy.apply(feed),
    rebuild: (position) => copy.rebuild(position),
  });
  const caughtUp = async () => {
    await follower.readNow();
    await copy.updated();
  };
  await follower.start();
  await caughtUp();
  return { copy, follower, caughtUp };
}
