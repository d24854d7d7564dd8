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

/** A store that does something of its own before each answer, or is away. */
class Between implements FeedStore {
  readonly store = new MemoryFeedStore();
  away = false;
  before: () => Promise<unknown> = async () => {};

  publish = (...args: Parameters<FeedStore['publish']>) => this.store.publish(...args);
  retract = (id: string) => this.store.retract(id);
  page = async (range: FeedRange) => this.#asked(() => this.store.page(range));
  find = async (list: readonly string[]) => this.#asked(() => this.store.find(list));
  changesSince = async (n: number, count: number) => this.#asked(() => this.store.changesSince(n, count));

  async #asked<T>(answer: () => MaybePromise<T>): Promise<T> {
    await this.before();
    if (this.away) throw new Unavailable('the store');
    return answer();
  }
}

describe('A copy of the feed', () => {
  it('answers nothing before it is made', () => {
    expect(new FeedCopy(new MemoryFeedStore(), 10).page(EVERYTHING)).to.equal(undefined);
  });

  it('answers as the feed does, once it has followed', async () => {
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

  it('keeps the newest only, and does not answer for what it has left out', async () => {
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

  it('gives the same items as the same array until another item is on the page', async () => {
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

  it('is the feed as it stood after one of its changes, whatever happens while it reads', async () => {
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
        const feed = new Between();
        const left = [...steps];
        /** The feed after each of its changes. */
        const stood = [await feed.store.page(EVERYTHING)];
        feed.before = async () => {
          const next = left.shift();
          if (next === undefined) return;
          if (next.mode === 'retract') await feed.retract(next.id);
          else await feed.publish([item(next.id, next.micros, next.market)], next.mode);
          const page = await feed.store.page(EVERYTHING);
          stood[page.version] = page;
        };
        const copy = new FeedCopy(feed, max);
        while (left.length > 0) {
          await copy.follow();
          // What has moved on since is missing until the change that moved it; nothing else is, or is too much.
          const kept = copy.page({ ...EVERYTHING, count: Math.max(1, copy.size) });
          if (kept === undefined) continue; // It holds nothing, and knows that there is more.
          const then = stood[kept.version];
          expect(scoredAts(then)).to.include.members([...scoredAts(kept)]);
          expect(kept.head).to.equal(then?.head);
        }
        await copy.follow();
        const all = await feed.store.page(EVERYTHING);
        const kept = copy.page({ ...EVERYTHING, count: Math.max(1, copy.size) });
        expect(kept ?? { ...all, items: [] }).to.deep.equal({ ...all, items: all.items.slice(0, copy.size) });
        // Fewer than it may keep stand in it where older ones were left out before newer ones went.
        if (copy.page({ ...EVERYTHING, count: copy.size + 1 }) !== undefined) {
          expect(copy.size).to.equal(all.items.length);
        }
      },
    );
    await fc.assert(property, runs(300));
  });

  it('stays as it was when the store goes away in the middle, and goes on from there', async () => {
    const feed = new Between();
    await feed.publish([item('a', 1)], 'live');
    const copy = new FeedCopy(feed, 10);
    await copy.follow();
    await feed.publish([item('b', 2)], 'live');
    let calls = 0;
    feed.before = async () => {
      calls += 1;
      feed.away = calls === 2;
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
    const feed = new Between();
    await feed.publish([item('a', 1), item('b', 2)], 'live');
    const copy = new FeedCopy(feed, max);
    await copy.follow();
    return { feed, copy, hot: hotFeedStore(feed, copy) };
  };

  it('asks its store for nothing that its copy knows, and for all that it does not', async () => {
    const { feed, hot } = await opened(1);
    let asked = 0;
    feed.before = async () => {
      asked += 1;
    };
    expect(ids((await hot.page({ ...EVERYTHING, count: 1 })).items)).to.deep.equal(['b']);
    expect(asked).to.equal(0);
    expect(ids((await hot.page(EVERYTHING)).items)).to.deep.equal(['b', 'a']);
    expect(asked).to.equal(1);
  });

  it('shows who published here what was published, before that is answered', async () => {
    const { hot } = await opened(10);
    await hot.publish([item('c', 3)], 'live');
    expect(ids((await hot.page(EVERYTHING)).items)).to.deep.equal(['c', 'b', 'a']);
    await hot.retract('b');
    expect(ids((await hot.page(EVERYTHING)).items)).to.deep.equal(['c', 'a']);
  });

  it('shows it also where the copy had begun to follow before it was stored', async () => {
    const { feed, copy, hot } = await opened(10);
    let goOn = () => {};
    const waited = new Promise<void>((done) => {
      goOn = done;
    });
    const changesSince = feed.changesSince;
    // Looks before, and answers after.
    feed.changesSince = async (n, count) => {
      const changes = await changesSince(n, count);
      feed.changesSince = changesSince;
      await waited;
      return changes;
    };
    const following = copy.follow();
    const publishing = hot.publish([item('c', 3)], 'live');
    setImmediate(goOn);
    await Promise.all([following, publishing]);
    expect(ids((await hot.page(EVERYTHING)).items)).to.deep.equal(['c', 'b', 'a']);
  });

  it('is served while its store is away, as far as the copy knows, and says so where it does not (D35)', async () => {
    const { feed, hot } = await opened(1);
    feed.away = true;
    expect(ids((await hot.page({ ...EVERYTHING, count: 1 })).items)).to.deep.equal(['b']);
    const fault = await Promise.resolve(hot.page(EVERYTHING)).catch((thrown: unknown) => thrown);
    expect(fault).to.be.instanceOf(Unavailable);
    // Stored, and the store went away right after: it is answered, and shown once the copy can follow.
    await hot.publish([item('c', 3)], 'live');
    feed.away = false;
    await hot.retract('nobody');
    expect(ids((await hot.page({ ...EVERYTHING, count: 1 })).items)).to.deep.equal(['c']);
  });

  it('hides no bug', async () => {
    const bug = new Error('bug');
    const { feed, hot } = await opened(10);
    feed.before = () => Promise.reject(bug);
    const fault = await hot.publish([item('c', 3)], 'live').catch((thrown: unknown) => thrown);
    expect(fault).to.equal(bug);
  });
});
