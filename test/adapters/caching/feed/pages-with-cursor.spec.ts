import { expect } from 'chai';
import type { PageSource } from '../../../../src/adapters/caching/copy-use.js';
import { FeedCopy } from '../../../../src/adapters/caching/feed/feed-copy.js';
import { MemoryAccounts } from '../../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryFeedStore } from '../../../../src/adapters/memory/feed/memory-feed-store.js';
import { MemoryChangeLogs } from '../../../../src/adapters/memory/memory-change-logs.js';
import { Unavailable } from '../../../../src/application/unavailable.js';
import { LAST_MOMENT } from '../../../../src/domain/moment.js';
import { AMONG_OTHERS } from '../../../support/copies/followed-feed.js';
import { InterceptedStore } from '../../../support/copies/intercepted-store.js';
import { hotFeed } from '../../../support/copies/joined-feed.js';
import { EVERYTHING, item } from '../../../support/objects/listed-items.js';

const BELOW_CURSOR = { ...EVERYTHING, before: LAST_MOMENT };

/** `isReadFirst` has the rule. */
describe('A page with a cursor from a hot feed', () => {
  /** The store has an item that the copy does not have yet. A read of the logs is complete in time, or is not. */
  const opened = async (surroundings: Partial<typeof AMONG_OTHERS> = {}) => {
    const feed = new InterceptedStore();
    await feed.publish([item('a', 1)], 'live');
    const copy = new FeedCopy(feed, feed, { max: 10 });
    copy.rebuild(feed.store.log.newest);
    await copy.updated();
    const memoryLogs = new MemoryChangeLogs(new MemoryAccounts(), feed.store);
    const positions = await memoryLogs.newest();
    await feed.publish([item('b', 2)], 'live');
    const logs = { isReadInTime: true, waits: [] as number[] };
    const store = { pages: 0, fault: null as Error | null, answers: feed.store, onPage: () => {} };
    feed.page = async (range) => {
      store.pages += 1;
      store.onPage();
      if (store.fault !== null) throw store.fault;
      return store.answers.page(range);
    };
    const readWithin = async (waitMs: number) => {
      logs.waits.push(waitMs);
      const read = await memoryLogs.readAfter(positions);
      if (logs.isReadInTime && read.found === 'changes') copy.apply(read.feed);
      return logs.isReadInTime;
    };
    const follower = {
      ...{
        readWithin,
        readAt: 0,
        readNow: async () => {},
        use: () => 'current' as const,
        untilCurrent: async () => true,
      },
      pageSource: () => 'copy' as PageSource,
    };
    const hot = hotFeed(feed, copy, follower, { ...AMONG_OTHERS, ...surroundings });
    const shown = async (range = BELOW_CURSOR) => (await hot.page(range)).items.map(({ id }) => id);
    return { feed, copy, logs, store, hot, shown };
  };

  it('comes from the copy after a read of the logs', async () => {
    const { shown, logs, store } = await opened();
    expect(await shown()).to.deep.equal(['b', 'a']);
    expect([logs.waits, store.pages]).to.deep.equal([[100], 0]);
  });

  it('comes from the copy at once if no other instance runs, or while the store is away', async () => {
    for (const surroundings of [{ isAlone: () => true }, { isStoreAway: () => true }]) {
      const { hot, copy, logs, store } = await opened(surroundings);
      expect(hot.page(BELOW_CURSOR)).to.equal(copy.page(BELOW_CURSOR));
      expect([logs.waits, store.pages]).to.deep.equal([[], 0]);
    }
  });

  it('is the only one that waits', async () => {
    const { hot, copy, logs, store } = await opened();
    expect(hot.page(EVERYTHING)).to.equal(copy.page(EVERYTHING));
    expect([logs.waits, store.pages]).to.deep.equal([[], 0]);
  });

  it('comes from the store if the logs are not read in time, with every change until its own request', async () => {
    const { feed, shown, logs, store } = await opened();
    logs.isReadInTime = false;
    expect(await shown()).to.deep.equal(['b', 'a']);
    await feed.publish([item('c', 3)], 'live');
    expect([await shown(), store.pages]).to.deep.equal([['c', 'b', 'a'], 2]);
  });

  it('comes from the store if the items of the changes cannot be read', async () => {
    const { feed, shown, store } = await opened();
    feed.find = async () => {
      throw new Unavailable('the store');
    };
    expect([await shown(), store.pages]).to.deep.equal([['b', 'a'], 1]);
  });

  it('comes from the copy as it is if neither is read and the store is away by then', async () => {
    let isAway = false;
    const { shown, logs, store } = await opened({ isStoreAway: () => isAway });
    logs.isReadInTime = false;
    store.fault = new Unavailable('the store');
    store.onPage = () => {
      isAway = store.pages === 2;
    };
    expect([await shown(), store.pages]).to.deep.equal([['a'], 2]);
  });

  it('is refused if neither is read and the store is not away: slow is not away (D44)', async () => {
    const { hot, logs, store } = await opened();
    logs.isReadInTime = false;
    store.fault = new Unavailable('the store');
    const refused = await Promise.resolve(hot.page(BELOW_CURSOR)).catch((thrown: unknown) => thrown);
    expect(refused).to.equal(store.fault);
  });

  it('comes from the copy if the store answers with an older state', async () => {
    const { shown, logs, store } = await opened();
    logs.isReadInTime = false;
    store.answers = new MemoryFeedStore();
    expect([await shown(), store.pages]).to.deep.equal([['a'], 1]);
  });

  it('hides no bug', async () => {
    const { feed, hot } = await opened();
    const bug = new Error('bug in a query');
    feed.find = async () => {
      throw bug;
    };
    expect(await Promise.resolve(hot.page(BELOW_CURSOR)).catch((thrown: unknown) => thrown)).to.equal(bug);
  });
});
