import { expect } from 'chai';
import fc from 'fast-check';
import type { ChangeFollower } from '../../../src/adapters/caching/change-follower.js';
import { FeedCopy } from '../../../src/adapters/caching/feed/feed-copy.js';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import type {
  FeedPageSnapshot,
  FeedRange,
  FeedStore,
} from '../../../src/application/ports/feed/feed-store.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { type Position, samePosition } from '../../../src/domain/feed/position.js';
import { ALONE, followedFeed } from '../../support/copies/followed-feed.js';
import { InterceptedStore } from '../../support/copies/intercepted-store.js';
import { hotFeed } from '../../support/copies/joined-feed.js';
import { withoutVersion } from '../../support/copies/without-version.js';
import { NOON, runs } from '../../support/objects/builders.js';
import { at, EVERYTHING, item } from '../../support/objects/listed-items.js';

const scoredAts = (page: FeedPageSnapshot | undefined) =>
  (page?.items ?? []).map(({ id, scoredAt }) => `${id} at ${scoredAt}`);
const ids = (items: readonly { readonly id: string }[] | undefined) => items?.map(({ id }) => id);

/** A copy that follows the log of its store when a test says so. */
class FollowedCopy extends FeedCopy {
  readonly #log: MemoryFeedStore['log'];
  #applied: Position | null = null;

  constructor(feed: Pick<FeedStore, 'page' | 'find'>, { log }: MemoryFeedStore, max: number) {
    super(feed, feed, { max, readNow: async () => this.#read() });
    this.#log = log;
  }

  async follow(): Promise<void> {
    if (this.#applied === null) {
      this.#applied = this.#log.newest;
      this.rebuild(this.#applied);
      await this.updated();
    }
    this.#read();
    await this.updated();
  }

  #read(): void {
    if (this.#applied === null) return;
    const changes = this.#log.after(this.#applied, 1_000);
    if (typeof changes === 'string') throw new Error(changes);
    this.#applied = changes.at(-1)?.position ?? this.#applied;
    this.apply(changes.map(({ position, change }) => ({ position, ...change })));
  }
}

describe('A copy of the feed', () => {
  it('returns no page before its first update', () => {
    expect(new FeedCopy(new MemoryFeedStore(), new MemoryFeedStore(), { max: 10 }).page(EVERYTHING)).to.equal(
      undefined,
    );
  });

  it('returns the same pages as the feed after an update', async () => {
    const feed = new MemoryFeedStore();
    await feed.publish([item('a', 1, 'm'), item('b', 2, 'n')], 'live');
    const copy = new FollowedCopy(feed, feed, 10);
    await copy.follow();
    await feed.publish([item('c', 3, 'm'), item('a', 4, 'n')], 'live');
    await feed.retract('b');
    await copy.follow();
    for (const filter of [{}, { marketId: 'm' }, { marketId: 'n' }, { newsId: 'a' }, { newsId: 'b' }]) {
      const range = { ...EVERYTHING, ...filter };
      expect(withoutVersion(copy.page(range))).to.deep.equal(withoutVersion(await feed.page(range)));
    }
  });

  it('keeps only the newest items, and returns no page that may need others', async () => {
    const feed = new MemoryFeedStore();
    await feed.publish(
      Array.from({ length: 1_203 }, (_, i) => item(`i${i}`, i, `m${i % 2}`)),
      'live',
    );
    const copy = new FollowedCopy(feed, feed, 600);
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

  it('gives a page the same version until its items change', async () => {
    const store = new MemoryFeedStore();
    const copy = new FollowedCopy(store, store, 100);
    await store.publish([item('a', 1), item('b', 2), item('c', 3)], 'backfill');
    await copy.follow();
    const old = { ...EVERYTHING, before: at(3), count: 2 };
    const [head, below] = [copy.page(EVERYTHING), copy.page(old)];
    expect(copy.page({ ...EVERYTHING })).to.equal(head);

    await store.publish([item('d', 4)], 'backfill');
    await copy.follow();
    expect(copy.page(old)?.version).to.equal(below?.version);
    expect(copy.page(EVERYTHING)?.version).not.to.equal(head?.version);
    expect(copy.page(old)).to.include({ head: at(4), position: store.log.newest });
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
        /** The feed after each of its changes. */
        const states = [feed.store.page(EVERYTHING)];
        feed.before = async () => {
          const next = remaining.shift();
          if (next === undefined) return;
          if (next.mode === 'retract') await feed.retract(next.id);
          else await feed.publish([item(next.id, next.micros, next.market)], next.mode);
          states.push(feed.store.page(EVERYTHING));
        };
        const copy = new FollowedCopy(feed, feed.store, max);
        while (remaining.length > 0) {
          await feed.before();
          await copy.follow();
          // Only items that have changed again may be missing. No item is too many.
          const kept = copy.page({ ...EVERYTHING, count: Math.max(1, copy.size) });
          if (kept === undefined) continue; // The copy is empty and knows that the feed has items.
          const state = states.find(({ position }) => samePosition(position, kept.position));
          expect(scoredAts(state)).to.include.members([...scoredAts(kept)]);
          expect(kept.head).to.equal(state?.head);
        }
        await copy.follow();
        const all = feed.store.page(EVERYTHING);
        const kept = copy.page({ ...EVERYTHING, count: Math.max(1, copy.size) });
        expect(withoutVersion(kept ?? { ...all, items: [] })).to.deep.equal(
          withoutVersion({ ...all, items: all.items.slice(0, copy.size) }),
        );
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
    const copy = new FollowedCopy(feed, feed.store, 10);
    await copy.follow();
    await feed.publish([item('b', 2)], 'live');
    feed.isDown = true;
    const fault = await copy.follow().catch((thrown: unknown) => thrown);
    expect(fault).to.be.instanceOf(Unavailable);
    expect(ids(copy.page(EVERYTHING)?.items)).to.deep.equal(['a']);
    feed.isDown = false;
    copy.apply([]);
    await copy.updated();
    expect(ids(copy.page(EVERYTHING)?.items)).to.deep.equal(['b', 'a']);
  });

  it('shows nothing of the old state after a rebuild, and keeps the greatest head that it has seen (D45)', async () => {
    const feed = new InterceptedStore();
    await feed.publish([item('a', 1), item('lost', 9)], 'live');
    const copy = new FollowedCopy(feed, feed.store, 10);
    await copy.follow();
    const restored = new MemoryFeedStore();
    await restored.publish([item('a', 1)], 'live');
    feed.page = async (range) => restored.page(range);
    feed.find = (list) => restored.find(list);
    copy.rebuild(restored.log.newest);
    expect(copy.page(EVERYTHING)).to.equal(undefined);
    await copy.updated();
    expect(withoutVersion(copy.page(EVERYTHING))).to.deep.equal(withoutVersion(restored.page(EVERYTHING)));
    expect(copy.greatestHead).to.equal(at(9));
    const head = await restored.raiseHead(copy.greatestHead, NOON);
    copy.apply([{ kind: 'raised', knownAt: NOON, position: restored.log.newest, head: head ?? NOON }]);
    await copy.updated();
    expect(withoutVersion(copy.page(EVERYTHING))).to.deep.equal(withoutVersion(restored.page(EVERYTHING)));
  });

  it('ends an update that a rebuild overtakes', async () => {
    const feed = new InterceptedStore();
    await feed.publish([item('a', 1)], 'live');
    const copy = new FollowedCopy(feed, feed.store, 10);
    let resume = () => {};
    const paused = new Promise<void>((done) => {
      resume = done;
    });
    feed.before = () => paused;
    const first = copy.follow();
    feed.before = async () => {};
    copy.rebuild(feed.store.log.newest);
    await copy.updated();
    resume();
    await first;
    expect(withoutVersion(copy.page(EVERYTHING))).to.deep.equal(withoutVersion(feed.store.page(EVERYTHING)));
  });
});

describe('A hot feed', () => {
  let follower: ChangeFollower | undefined;
  afterEach(() => follower?.close());

  const opened = async (max: number) => {
    const feed = new InterceptedStore();
    await feed.publish([item('a', 1), item('b', 2)], 'live');
    const followed = await followedFeed(feed.store, max, feed);
    ({ follower } = followed);
    return {
      feed,
      ...followed,
      hot: hotFeed(feed, followed.copy, followed.follower, ALONE),
    };
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

  it('shows a publication even if a read of the log had started before it was stored', async () => {
    const { feed, copy, follower, hot } = await opened(10);
    follower.readSoon();
    await hot.publish([item('c', 3)], 'live');
    expect(ids(copy.page(EVERYTHING)?.items)).to.deep.equal(['c', 'b', 'a']);
    expect(ids((await feed.page(EVERYTHING)).items)).to.deep.equal(['c', 'b', 'a']);
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
