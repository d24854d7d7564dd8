import { AccountChanges } from '../adapters/caching/account-changes.js';
import { ChangeFollower } from '../adapters/caching/change-follower.js';
import { invalidatingFeedWriter } from '../adapters/caching/feed/invalidating-feed-writer.js';
import { fillInTime } from '../adapters/live/changes/fill-in-time.js';
import { LiveFeed } from '../adapters/live/changes/live-feed.js';
import { MemoryFeedHistory } from '../adapters/memory/feed/memory-feed-history.js';
import { MemoryChangeLogs } from '../adapters/memory/memory-change-logs.js';
import type { memoryStores } from '../adapters/memory/memory-stores.js';
import type { Clock } from '../application/ports/clock.js';
import type { FeedHistory } from '../application/ports/feed/feed-history.js';
import type { FeedPages, FeedWriter } from '../application/ports/feed/feed-store.js';
import type { Invalidations } from '../application/ports/invalidations.js';
import type { Gate } from '../application/ports/keys/gate.js';
import type { Hooks } from './container/hooks.js';
import type { ProcessParts } from './process.js';

/** What a process follows the change logs with. */
export type FollowingParts = ProcessParts & { readonly invalidations: Invalidations; readonly clock: Clock };

/** The gate and the feed of an instance, and what follows their change logs: requests use these, and not the stores. */
export type Followed = {
  readonly gate: Gate;
  readonly feed: FeedPages & FeedWriter;
  readonly feedHistory: FeedHistory;
  readonly liveFeed: LiveFeed;
  readonly accountChanges: AccountChanges;
  readonly follower: ChangeFollower;
};

/** Stores in memory: no copies are needed, but streams follow the logs all the same. */
export function followMemory(
  { accounts, feed, gate }: Pick<ReturnType<typeof memoryStores>, 'accounts' | 'feed' | 'gate'>,
  parts: FollowingParts,
): Followed {
  const { monotonicClock: now, pauses, invalidations, log } = parts;
  const history = new MemoryFeedHistory(feed);
  const accountChanges = new AccountChanges();
  const report = (fault: unknown) => log.error({ err: fault }, 'the change logs could not be read');
  const follower = new ChangeFollower({
    logs: new MemoryChangeLogs(accounts, feed),
    now,
    pauses,
    report,
    isStoreAway: () => false,
    onOlderState: () => {},
  });
  const liveFeed = new LiveFeed({ history, now, readNow: () => follower.readNow() });
  follower.keep({
    apply: (changes) => {
      accountChanges.notify(changes.accounts);
      liveFeed.add(feed.withItems(changes.feed));
    },
    rebuild: (position) => {
      accountChanges.notify([{ keys: 'all' }]);
      liveFeed.rebuild(position, feed.state.head);
      liveFeed.noteHead(feed.state.head);
    },
  });
  invalidations.listen(() => follower.readSoon());
  const pages: FeedPages = { page: (range) => feed.page(range) };
  const writer = invalidatingFeedWriter(feed, invalidations);
  return { gate, feed: { ...pages, ...writer }, feedHistory: history, liveFeed, accountChanges, follower };
}

/** Reads the newest changes back before the service listens. */
export const fillAtStart = (
  liveFeed: () => Pick<LiveFeed, 'fill'>,
  { log }: Pick<ProcessParts, 'log'>,
  { starting }: Hooks,
): void =>
  starting((signal) => {
    const report = (err: unknown) =>
      log.error({ err }, 'the newest changes of the feed could not be read back');
    return fillInTime(liveFeed(), report, signal);
  });
