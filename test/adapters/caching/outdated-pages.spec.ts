import { expect } from 'chai';
import sinon from 'sinon';
import type { PageSource } from '../../../src/adapters/caching/copy-use.js';
import { FeedCopy } from '../../../src/adapters/caching/feed/feed-copy.js';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { ALONE } from '../../support/copies/followed-feed.js';
import { InterceptedStore } from '../../support/copies/intercepted-store.js';
import { hotFeed } from '../../support/copies/joined-feed.js';
import { withoutVersion } from '../../support/copies/without-version.js';
import { EVERYTHING, item } from '../../support/objects/listed-items.js';

/** D35 has the rule: a copy of the feed has no greatest age. */
describe('A hot feed whose change logs cannot be read', () => {
  /** The store has an item that the copy does not have. */
  const opened = async () => {
    const feed = new InterceptedStore();
    const { store: stored } = feed;
    await feed.publish([item('a', 1)], 'live');
    const copy = new FeedCopy(stored, stored, { max: 10 });
    copy.rebuild(stored.log.newest);
    await copy.updated();
    await feed.publish([item('b', 2)], 'live');
    const store = { reads: 0, fault: null as Error | null, answers: stored, untilAnswer: Promise.resolve() };
    feed.page = async (range) => {
      store.reads += 1;
      await store.untilAnswer;
      if (store.fault !== null) throw store.fault;
      return store.answers.page(range);
    };
    const clock = { ms: 0 };
    const logs = { source: 'store' as PageSource };
    const follower = {
      ...{
        readAt: 0,
        readNow: async () => {},
        use: () => 'outdated' as const,
        untilCurrent: async () => false,
      },
      readWithin: async () => false,
      pageSource: () => logs.source,
    };
    const hot = hotFeed(feed, copy, follower, { ...ALONE, now: () => clock.ms });
    const shown = async (range = EVERYTHING) => (await hot.page(range)).items.map(({ id }) => id);
    return { stored, copy, store, clock, logs, hot, shown };
  };

  it('shows the changes that its store has', async () => {
    const { stored, store, hot } = await opened();
    expect(withoutVersion(await hot.page(EVERYTHING))).to.deep.equal(withoutVersion(stored.page(EVERYTHING)));
    expect(store.reads).to.equal(1);
  });

  it('returns the page of its copy while the store is away, without a read', async () => {
    const { store, copy, logs, hot } = await opened();
    logs.source = 'copy';
    expect(hot.page(EVERYTHING)).to.equal(copy.page(EVERYTHING));
    expect(store.reads).to.equal(0);
  });

  it('waits 100 ms for its store, then returns the page of its copy; the read serves the next requests', async () => {
    const { store, shown } = await opened();
    const timers = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      let answer = () => {};
      store.untilAnswer = new Promise((done) => (answer = done));
      const late = shown();
      await timers.tickAsync(99);
      answer();
      expect(await late).to.deep.equal(['b', 'a']);
      store.untilAnswer = new Promise((done) => (answer = done));
      const later = shown({ ...EVERYTHING, count: 1 });
      await timers.tickAsync(100);
      expect(await later).to.deep.equal(['a']);
      answer();
      expect([await shown({ ...EVERYTHING, count: 1 }), store.reads]).to.deep.equal([['b'], 2]);
    } finally {
      timers.restore();
    }
  });

  it('reads a page once for all requests of half a second', async () => {
    const { stored, store, clock, shown } = await opened();
    const pages = await Promise.all(Array.from({ length: 100 }, () => shown({ ...EVERYTHING })));
    expect(pages).to.deep.equal(Array(100).fill(['b', 'a']));
    await stored.publish([item('c', 3)], 'live');
    clock.ms = 499;
    expect([await shown(), store.reads]).to.deep.equal([['b', 'a'], 1]);
    expect([await shown({ ...EVERYTHING, count: 1 }), store.reads]).to.deep.equal([['c'], 2]);
    clock.ms = 500;
    expect([await shown(), store.reads]).to.deep.equal([['c', 'b', 'a'], 3]);
  });

  it('returns the page of its copy if the store does not answer, and asks it again half a second later', async () => {
    const { store, clock, shown } = await opened();
    store.fault = new Unavailable('the store');
    expect([await shown(), await shown(), store.reads]).to.deep.equal([['a'], ['a'], 1]);
    store.fault = null;
    clock.ms = 500;
    expect(await shown()).to.deep.equal(['b', 'a']);
  });

  it('returns the page of its copy if the store answers with an older state', async () => {
    const { store, shown } = await opened();
    store.answers = new MemoryFeedStore();
    expect([await shown(), store.reads]).to.deep.equal([['a'], 1]);
  });

  it('hides no bug behind its copy', async () => {
    const { store, hot } = await opened();
    store.fault = new Error('bug in a query');
    const fault = await Promise.resolve(hot.page(EVERYTHING)).catch((thrown: unknown) => thrown);
    expect(fault).to.equal(store.fault);
  });
});
