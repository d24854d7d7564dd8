import { expect } from 'chai';
import fc from 'fast-check';
import { FeedCopy } from '../../../src/adapters/caching/feed-copy.js';
import { hotFeedStore } from '../../../src/adapters/caching/hot-feed-store.js';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import type { MaybePromise } from '../../../src/application/maybe-promise.js';
import type {
  FeedPageSnapshot,
  FeedRange,
  FeedStore,
  ListedItem,
} from '../../../src/application/ports/feed/feed-store.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { MICROSECOND, plus } from '../../../src/domain/moment.js';
import { NOON, runs } from '../../support/objects/builders.js';

const EVERYTHING: FeedRange = { before: null, since: null, newsId: null, marketId: null, count: 500 };
const at = (micros: number) => plus(NOON, micros * MICROSECOND);
const item = (id: string, micros: number, ...subMarketIds: readonly string[]): ListedItem => ({
  id,
  scoredAt: at(micros),
  subMarketIds,
  json: Buffer.from(`{"id":"${id}","scored":${micros}}`),
});
const scoredAts = (page: FeedPageSnapshot | undefined) =>
  (page?.items ?? []).map(({ id, scoredAt }) => `${id} at ${scoredAt}`);
const ids = (items: readonly { readonly id: string }[] | undefined) => items?.map(({ id }) => id);

/** A store that runs `before` ahead of each read, and can be made unavailable. */
class InterceptedStore implements FeedStore {
  readonly store = new MemoryFeedStore();
  isDown = false;
  before: () => Promise<unknown> = async () => {};

  publish = (...args: Parameters<FeedStore['publish']>) => this.store.publish(...args);
  retract = (id: string) => this.store.retract(id);
  page = async (range: FeedRange) => this.#read(() => this.store.page(range));
  find = async (list: readonly string[]) => this.#read(() => this.store.find(list));
  changesSince = async (n: number, count: number) => this.#read(() => this.store.changesSince(n, count));

  async #read<T>(read: () => MaybePromise<T>): Promise<T> {
    await this.before();
    if (this.isDown) throw new Unavailable('the store');
    return read();
  }
}

describe('A copy of the feed', () => {
  it('returns no page before its first update', () => {
    expect(new FeedCopy(new MemoryFeedStore(), 10).page(EVERYTHING)).to.equal(undefined);
  });

  it('returns the same pages as the feed after an update', async () => {
    const feed = new MemoryFeedStore();
    await feed.publish([item('a', 1, 'm'), item('b', 2, 'n')], 'live');
    const copy = new FeedCopy(feed, 10);
    await copy.follow();
    await feed.publish([item('c', 3, 'm'), item('a', 4, 'n')], 'live');
    await feed.retract('b');
    await copy.follow();
    for (const filter of [{}, { marketId: 'm' }, { marketId: 'n' }, { newsId: 'a' }, { newsId: 'b' }]) {
      const range = { ...EVERYTHING, ...filter };
      expect(copy.page(range)).to.deep.equal(await feed.page(range));
    }
  });

  it('keeps only the newest items, and returns no page that may need others', async () => {
    const feed = new MemoryFeedStore();
    await feed.publish(
      Array.from({ length: 1_203 }, (_, i) => item(`i${i}`, i, `m${i % 2}`)),
      'live',
    );
    const copy = new FeedCopy(feed, 600);
    await copy.follow();
    expect(copy.size).to.equal(600);
    const answers: readonly (readonly [Partial<FeedRange>, number | undefined])[] = [
      [{ count: 500 }, 500],
      [{ count: 601 }, undefined],
      [{ since: at(603), count: 700 }, 600],
      [{ since: at(602), count: 700 }, undefined],
      [{ before: at(700), count: 97 }, 97],
      [{ before: at(700), count: 98 }, undefined],
      [{ marketId: 'm0', count: 300 }, 300],
      [{ marketId: 'm0', count: 301 }, undefined],
      [{ newsId: 'i603' }, 1],
      [{ newsId: 'i602' }, undefined],
      [{ newsId: 'i1000', before: at(1_000) }, 0],
    ];
    for (const [range, length] of answers) {
      const page = copy.page({ ...EVERYTHING, ...range });
      expect(page?.items.length, JSON.stringify(range)).to.equal(length);
    }
    await feed.publish([item('late', -5, 'm0')], 'backfill');
    await copy.follow();
    expect(copy.page({ ...EVERYTHING, newsId: 'late' })).to.equal(undefined);
    expect(copy.size).to.equal(600);
  });

  it('returns the same array of items until the items of the page change', async () => {
    const store = new MemoryFeedStore();
    const copy = new FeedCopy(store, 100);
    await store.publish([item('a', 1), item('b', 2), item('c', 3)], 'backfill');
    await copy.follow();
    const old = { ...EVERYTHING, before: at(3), count: 2 };
    const [head, below] = [copy.page(EVERYTHING), copy.page(old)];
    expect(copy.page(EVERYTHING)).to.equal(head);

    await store.publish([item('d', 4)], 'backfill');
    await copy.follow();
    expect(copy.page(old)?.items).to.equal(below?.items);
    expect(copy.page(old)).to.include({ head: at(4), version: 4 });
    expect(copy.page(EVERYTHING)?.items.map(({ id }) => id)).to.deep.equal(['d', 'c', 'b', 'a']);
    expect(copy.page({ ...old, marketId: 'null' })?.items).to.deep.equal([]);
  });

  it('equals the feed after one of its changes, even if the feed changes during the reads', async () => {
    const step = fc.record({
      mode: fc.constantFrom('live' as const, 'backfill' as const, 'retract' as const),
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      micros: fc.nat(8),
      market: fc.constantFrom('m', 'n'),
    });
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.integer({ min: 2, max: 9 }),
      async (steps, max) => {
        const feed = new InterceptedStore();
        const remaining = [...steps];
        /** The feed after each of its changes, by version. */
        const states = [await feed.store.page(EVERYTHING)];
        feed.before = async () => {
          const next = remaining.shift();
          if (next === undefined) return;
          if (next.mode === 'retract') await feed.retract(next.id);
          else await feed.publish([item(next.id, next.micros, next.market)], next.mode);
          const page = await feed.store.page(EVERYTHING);
          states[page.version] = page;
        };
        const copy = new FeedCopy(feed, max);
        while (remaining.length > 0) {
          await copy.follow();
          // Only items that have changed again may be missing. No item is too many.
          const kept = copy.page({ ...EVERYTHING, count: Math.max(1, copy.size) });
          if (kept === undefined) continue; // The copy is empty and knows that the feed has items.
          const state = states[kept.version];
          expect(scoredAts(state)).to.include.members([...scoredAts(kept)]);
          expect(kept.head).to.equal(state?.head);
        }
        await copy.follow();
        const all = await feed.store.page(EVERYTHING);
        const kept = copy.page({ ...EVERYTHING, count: Math.max(1, copy.size) });
        expect(kept ?? { ...all, items: [] }).to.deep.equal({ ...all, items: all.items.slice(0, copy.size) });
        // The copy can have fewer items than its maximum: it dropped older items before newer ones were retracted.
        if (copy.page({ ...EVERYTHING, count: copy.size + 1 }) !== undefined) {
          expect(copy.size).to.equal(all.items.length);
        }
      },
    );
    await fc.assert(property, runs(300));
  });

  it('does not change if the store fails during an update, and continues from there', async () => {
    const feed = new InterceptedStore();
    await feed.publish([item('a', 1)], 'live');
    const copy = new FeedCopy(feed, 10);
    await copy.follow();
    await feed.publish([item('b', 2)], 'live');
    let calls = 0;
    feed.before = async () => {
      calls += 1;
      feed.isDown = calls === 2;
    };
    const fault = await copy.follow().catch((thrown: unknown) => thrown);
    expect(fault).to.be.instanceOf(Unavailable);
    expect(ids(copy.page(EVERYTHING)?.items)).to.deep.equal(['a']);
    await copy.follow();
    expect(ids(copy.page(EVERYTHING)?.items)).to.deep.equal(['b', 'a']);
  });
});

describe('A hot feed', () => {
  const opened = async (max: number) => {
    const feed = new InterceptedStore();
    await feed.publish([item('a', 1), item('b', 2)], 'live');
    const copy = new FeedCopy(feed, max);
    await copy.follow();
    return { feed, copy, hot: hotFeedStore(feed, copy) };
  };

  it('reads a page from its store only if the copy does not have it', async () => {
    const { feed, hot } = await opened(1);
    let reads = 0;
    feed.before = async () => {
      reads += 1;
    };
    expect(ids((await hot.page({ ...EVERYTHING, count: 1 })).items)).to.deep.equal(['b']);
    expect(reads).to.equal(0);
    expect(ids((await hot.page(EVERYTHING)).items)).to.deep.equal(['b', 'a']);
    expect(reads).to.equal(1);
  });

  it('shows a publication on the same instance before `publish` returns', async () => {
    const { hot } = await opened(10);
    await hot.publish([item('c', 3)], 'live');
    expect(ids((await hot.page(EVERYTHING)).items)).to.deep.equal(['c', 'b', 'a']);
    await hot.retract('b');
    expect(ids((await hot.page(EVERYTHING)).items)).to.deep.equal(['c', 'a']);
  });

  it('shows a publication even if an update of the copy had started before it was stored', async () => {
    const { feed, copy, hot } = await opened(10);
    let resume = () => {};
    const paused = new Promise<void>((done) => {
      resume = done;
    });
    const changesSince = feed.changesSince;
    // Reads before the publication, and returns after it.
    feed.changesSince = async (n, count) => {
      const changes = await changesSince(n, count);
      feed.changesSince = changesSince;
      await paused;
      return changes;
    };
    const following = copy.follow();
    const publishing = hot.publish([item('c', 3)], 'live');
    setImmediate(resume);
    await Promise.all([following, publishing]);
    expect(ids((await hot.page(EVERYTHING)).items)).to.deep.equal(['c', 'b', 'a']);
  });

  it('serves the pages of its copy while its store is unavailable, and fails for others (D35)', async () => {
    const { feed, hot } = await opened(1);
    feed.isDown = true;
    expect(ids((await hot.page({ ...EVERYTHING, count: 1 })).items)).to.deep.equal(['b']);
    const fault = await Promise.resolve(hot.page(EVERYTHING)).catch((thrown: unknown) => thrown);
    expect(fault).to.be.instanceOf(Unavailable);
    // The store fails right after the write: `publish` succeeds, and the item appears after the next update.
    await hot.publish([item('c', 3)], 'live');
    feed.isDown = false;
    await hot.retract('nobody');
    expect(ids((await hot.page({ ...EVERYTHING, count: 1 })).items)).to.deep.equal(['c']);
  });

  it('does not hide a bug', async () => {
    const bug = new Error('bug');
    const { feed, hot } = await opened(10);
    feed.before = () => Promise.reject(bug);
    const fault = await hot.publish([item('c', 3)], 'live').catch((thrown: unknown) => thrown);
    expect(fault).to.equal(bug);
  });
});
