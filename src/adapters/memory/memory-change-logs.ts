import type {
  AccountChange,
  ChangeLogs,
  LogPositions,
  LogsRead,
} from '../../application/ports/change-logs.js';
import { Unavailable } from '../../application/unavailable.js';
import type { MemoryAccounts } from './accounts/memory-accounts.js';
import type { MemoryFeedStore } from './feed/memory-feed-store.js';

/** The most changes of each log in one read. */
const CHANGES_MAX = 1_000;

/** The logs of accounts and of a feed in memory. */
export class MemoryChangeLogs implements ChangeLogs {
  readonly #accounts: Pick<MemoryAccounts, 'log'>;
  readonly #feed: Pick<MemoryFeedStore, 'log'>;

  #calls = 0;

  constructor(accounts: Pick<MemoryAccounts, 'log'>, feed: Pick<MemoryFeedStore, 'log'>) {
    this.#accounts = accounts;
    this.#feed = feed;
  }

  async newest(): Promise<LogPositions> {
    return { accounts: this.#accounts.log.newest, feed: this.#feed.log.newest };
  }

  async readAfter(positions: LogPositions): Promise<LogsRead> {
    this.#calls += 1;
    const call = this.#calls;
    await null;
    if (this.#calls !== call) throw new Unavailable('the change logs', new Error('a new read was started'));
    const accounts = this.#accounts.log.after(positions.accounts, CHANGES_MAX);
    const feed = this.#feed.log.after(positions.feed, CHANGES_MAX);
    if (accounts === 'older state' || feed === 'older state') return { found: 'older state' };
    if (accounts === 'expired' || feed === 'expired') return { found: 'expired' };
    return {
      found: 'changes',
      accounts: accounts.map(({ change }): AccountChange => change),
      feed: feed.map(({ position, change }) => ({ position, ...change })),
      positions: {
        accounts: accounts.at(-1)?.position ?? positions.accounts,
        feed: feed.at(-1)?.position ?? positions.feed,
      },
      isComplete: accounts.length < CHANGES_MAX && feed.length < CHANGES_MAX,
    };
  }
}
