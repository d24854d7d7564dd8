import { AccountChanges } from '../adapters/caching/account-changes.js';
import { ChangeFollower } from '../adapters/caching/change-follower.js';
import { fillInTime } from '../adapters/live/changes/fill-in-time.js';
import { LiveFeed } from '../adapters/live/changes/live-feed.js';
import { MemoryFeedHistory } from '../adapters/memory/feed/memory-feed-history.js';
import { MemoryChangeLogs } from '../adapters/memory/memory-change-logs.js';
import type { memoryStores } from '../adapters/memory/memory-stores.js';
import type { FeedHistory } from '../application/ports/feed/feed-history.js';
import type { Hooks } from './container/hooks.js';
import type { SharedParts } from './stores.js';

/** Reads the newest changes back before the service listens. */
export const fillAtStart = (
  liveFeed: () => Pick<LiveFeed, 'fill'>,
  { log }: Pick<SharedParts, 'log'>,
  { starting }: Hooks,
): void =>
  starting((signal) => {
    const report = (err: unknown) =>
      log.error({ err }, 'the newest changes of the feed could not be read back');
    return fillInTime(liveFeed(), report, signal);
  });

/** What streams follow, where the stores are in memory: no copies are needed, but the logs are followed all the same. */
export function followedMemory(
  { accounts, feed }: Pick<ReturnType<typeof memoryStores>, 'accounts' | 'feed'>,
  parts: SharedParts,
  hooks: Hooks,
) {
  const history = new MemoryFeedHistory(feed);
  const accountChanges = new AccountChanges();
  const make = () => {
    const { monotonicClock: now, pauses, invalidations, log } = parts;
    const logs = new MemoryChangeLogs(accounts, feed);
    const report = (fault: unknown) => log.error({ err: fault }, 'the change logs could not be read');
    const states = { isStoreAway: () => false, onOlderState: () => {} };
    const follower = new ChangeFollower({ logs, now, pauses, report, ...states });
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
    return { follower, liveFeed };
  };
  let made: ReturnType<typeof make> | undefined;
  const get = () => (made ??= make());
  hooks.running({ start: () => get().follower.start(), close: () => get().follower.close() });
  fillAtStart(() => get().liveFeed, parts, hooks);
  return {
    feedHistory: (): FeedHistory => history,
    liveFeed: () => get().liveFeed,
    accountChanges: (): Pick<AccountChanges, 'onChange'> => accountChanges,
  };
}
