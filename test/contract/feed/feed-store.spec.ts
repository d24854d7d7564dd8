import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type {
  FeedChange,
  FeedRange,
  FeedStore,
  ListedItem,
  RenderedItem,
} from '../../../src/application/ports/feed/feed-store.js';
import { HOUR, MICROSECOND, type Moment, plus } from '../../../src/domain/moment.js';
import { NOON, runs } from '../../support/objects/builders.js';
import { contracts, type Open } from '../adapters.js';

const EVERYTHING: FeedRange = { before: null, since: null, newsId: null, marketId: null, count: 1_000 };

const item = (id: string, scoredAt: Moment = NOON, ...subMarketIds: readonly string[]): ListedItem => ({
  id,
  scoredAt,
  subMarketIds,
  json: Buffer.from(`{"id":${JSON.stringify(id)},"text":"é山"}`),
});

const ids = (items: readonly RenderedItem[]) => items.map(({ id }) => id);
const times = (items: readonly RenderedItem[]) => items.map(({ scoredAt }) => scoredAt);
const at = (micros: number) => plus(NOON, micros * MICROSECOND);

const ROUNDS = 20;

/** The feed that a follower of the log ends with. */
const replayed = (changes: readonly FeedChange[]): Map<string, Moment> => {
  const feed = new Map<string, Moment>();
  for (const change of changes) {
    if (change.kind === 'placed') feed.set(change.id, change.scoredAt);
    else feed.delete(change.id);
  }
  return feed;
};

/** A feed is one order of everything: each test has its own. */
for (const [name, open] of Object.entries<Open<FeedStore>>(contracts.feedStore)) {
  describe(`FeedStore, kept by ${name}`, () => {
    let store: Awaited<ReturnType<Open<FeedStore>>>;
    let left: FeedStore;
    let right: FeedStore;
    beforeEach(async () => {
      store = await open();
      [left, right] = [await store.instance(), await store.instance()];
    });
    afterEach(() => store.close());

    const all = async () => (await right.page(EVERYTHING)).items;

    it('shows what was placed, newest first, to the byte, on every instance', async () => {
      await left.place([item('a', at(1)), item('b', at(2))], 'live');
      const { items, head } = await right.page(EVERYTHING);
      expect(ids(items)).to.deep.equal(['b', 'a']);
      expect(times(items)).to.deep.equal([at(2), at(1)]);
      expect(items[0]?.json.equals(item('b').json)).to.equal(true);
      expect(head).to.equal(at(2));
    });

    it('is empty at first, without a head (D8)', async () => {
      expect(await left.page(EVERYTHING)).to.deep.equal({ items: [], head: null, version: 0 });
      expect(await left.changesSince(0, 10)).to.deep.equal([]);
    });

    it('answers what was placed, in the order given, ties moved up (D6)', async () => {
      const placed = await left.place([item('a', at(5)), item('b', at(5)), item('c', at(1))], 'live');
      expect(ids(placed)).to.deep.equal(['a', 'b', 'c']);
      expect(times(placed)).to.deep.equal([at(5), at(6), at(7)]);
    });

    it('keeps the times of a backfill, but for those that are taken (D7)', async () => {
      await left.place([item('x', at(10)), item('y', at(11))], 'live');
      const placed = await right.place(
        [item('a', at(3)), item('b', at(10)), item('c', at(3)), item('d', at(12))],
        'backfill',
      );
      expect(times(placed)).to.deep.equal([at(3), at(12), at(4), at(13)]);
      expect((await left.page(EVERYTHING)).head).to.equal(at(13));
    });

    it('gives the place that an item leaves by being replaced to whoever asks (D6)', async () => {
      await left.place([item('a', at(3)), item('b', at(9))], 'live');
      expect(times(await right.place([item('a', at(3))], 'backfill'))).to.deep.equal([at(3)]);
    });

    it('finds a way through a long run of taken places', async () => {
      await left.place(
        Array.from({ length: 300 }, (_, i) => item(`a${i}`, at(0))),
        'backfill',
      );
      await left.place(
        Array.from({ length: 300 }, (_, i) => item(`b${i}`, at(0))),
        'backfill',
      );
      const found = await right.page({ ...EVERYTHING, count: 1_000 });
      expect(times(found.items)).to.deep.equal(Array.from({ length: 600 }, (_, i) => at(599 - i)));
    });

    it('moves an item that is published again to the head, and forgets what it was (D11)', async () => {
      await left.place([item('a', at(1), 'm1'), item('b', at(2), 'm1')], 'live');
      await right.place([{ ...item('a', at(1), 'm2'), json: Buffer.from('{}') }], 'live');
      expect(ids(await all())).to.deep.equal(['a', 'b']);
      expect((await all())[0]?.json.toString()).to.equal('{}');
      expect(ids((await left.page({ ...EVERYTHING, marketId: 'm1' })).items)).to.deep.equal(['b']);
      expect(ids((await left.page({ ...EVERYTHING, marketId: 'm2' })).items)).to.deep.equal(['a']);
    });

    it('keeps the later of two items with one id in a batch', async () => {
      await left.place([item('a', at(1), 'm1'), item('b', at(2)), item('a', at(3), 'm2')], 'live');
      expect(ids(await all())).to.deep.equal(['a', 'b']);
      expect(ids((await left.page({ ...EVERYTHING, marketId: 'm1' })).items)).to.deep.equal([]);
    });

    it('retracts what there is, once, from every view (D11)', async () => {
      await left.place([item('a', at(1), 'm1')], 'live');
      expect(await right.retract('a')).to.equal(true);
      expect(await left.retract('a')).to.equal(false);
      expect(await left.retract('never \0 there')).to.equal(false);
      for (const range of [{}, { newsId: 'a' }, { marketId: 'm1' }]) {
        expect((await left.page({ ...EVERYTHING, ...range })).items).to.deep.equal([]);
      }
    });

    it('never lets its head fall (D7)', async () => {
      await left.place([item('a', at(5))], 'live');
      await left.retract('a');
      expect((await right.page(EVERYTHING)).head).to.equal(at(5));
      await right.place([item('b', at(1))], 'live');
      expect(times(await all())).to.deep.equal([at(6)]);
      await right.place([item('c', at(2))], 'backfill');
      expect((await left.page(EVERYTHING)).head).to.equal(at(6));
    });

    it('numbers every change once, without gaps, in the order it happened (D11, T16)', async () => {
      await left.place([item('a', at(1)), item('b', at(2))], 'live');
      await right.retract('a');
      await left.retract('nobody');
      await left.place([item('b', at(9))], 'live');
      const changes = await right.changesSince(0, 100);
      expect(changes).to.deep.equal([
        { n: 1, kind: 'placed', id: 'a', scoredAt: at(1) },
        { n: 2, kind: 'placed', id: 'b', scoredAt: at(2) },
        { n: 3, kind: 'retracted', id: 'a' },
        { n: 4, kind: 'placed', id: 'b', scoredAt: at(9) },
      ]);
      expect(await left.changesSince(2, 1)).to.deep.equal(changes.slice(2, 3));
      expect(await left.changesSince(4, 100)).to.deep.equal([]);
    });

    it('says of a page which change it holds last (D11)', async () => {
      await left.place([item('a', at(1)), item('b', at(2))], 'live');
      expect((await right.page(EVERYTHING)).version).to.equal(2);
      await right.retract('a');
      expect((await left.page({ ...EVERYTHING, newsId: 'a' })).version).to.equal(3);
    });

    it('finds items by their ids, with the sub-markets they are found by, as they are now', async () => {
      await left.place([item('a', at(1), 'm'), item('b', at(2), 'n', 'm')], 'live');
      await right.place([item('a', at(3), 'k')], 'live');
      const found = await left.find(['b', 'a', 'nobody', '\0']);
      expect(new Map(found.map((one) => [one.id, one]))).to.deep.equal(
        new Map([
          ['a', item('a', at(3), 'k')],
          ['b', item('b', at(2), 'n', 'm')],
        ]),
      );
      expect(await right.find([])).to.deep.equal([]);
    });

    it('loses nothing of four publishers on two instances, and stays in one order (D6, T16)', async () => {
      const publish = async (publisher: number) => {
        for (let batch = 0; batch < 20; batch += 1) {
          const items = Array.from({ length: 5 }, () => item(randomUUID(), at(batch)));
          await (publisher % 2 === 0 ? left : right).place(items, publisher === 3 ? 'backfill' : 'live');
        }
      };
      await Promise.all([0, 1, 2, 3].map(publish));
      const found = times(await all());
      expect(found).to.have.length(400);
      expect(new Set(found)).to.have.property('size', 400);
      expect(found).to.deep.equal([...found].sort().reverse());
      const changes = await left.changesSince(0, 1_000);
      expect(changes.map(({ n }) => n)).to.deep.equal(Array.from({ length: 400 }, (_, i) => i + 1));
    });

    it('never shows a reader an item that lands below a live head it has seen (D7, D8)', async () => {
      const seen = new Map<string, Moment>();
      const heads: Moment[] = [];
      const publish = async (store: FeedStore) => {
        for (let i = 0; i < 50; i += 1) await store.place([item(randomUUID(), at(i))], 'live');
      };
      const poll = async () => {
        for (let i = 0; i < 50; i += 1) {
          const since = heads.at(-1) ?? null;
          const { items, head } = await right.page({ ...EVERYTHING, since });
          for (const { id, scoredAt } of items) seen.set(id, scoredAt);
          if (head !== null) heads.push(head);
        }
      };
      await Promise.all([publish(left), publish(right), poll()]);
      await poll();
      expect(seen).to.have.property('size', 100);
      expect(heads).to.deep.equal([...heads].sort());
    });

    it('answers every range as a plain list would', async () => {
      const held = Array.from({ length: 30 }, (_, i) => item(`i${i}`, at(i * 3), `m${i % 3}`, `n${i % 5}`));
      await left.place(held, 'live');
      const edge = fc.option(fc.integer({ min: -2, max: 95 }).map(at), { nil: null });
      const range = fc.record({
        before: edge,
        since: edge,
        newsId: fc.option(fc.constantFrom('i0', 'i7', 'i29', 'nobody', '\0'), { nil: null }),
        marketId: fc.option(fc.constantFrom('m0', 'm2', 'n4', 'nothing', '\0'), { nil: null }),
        count: fc.integer({ min: 1, max: 40 }),
      });
      const property = fc.asyncProperty(range, async (asked) => {
        const expected = [...held]
          .reverse()
          .filter(({ scoredAt }) => asked.before === null || scoredAt < asked.before)
          .filter(({ scoredAt }) => asked.since === null || scoredAt >= asked.since)
          .filter(({ id }) => asked.newsId === null || id === asked.newsId)
          .filter(({ subMarketIds }) => asked.marketId === null || subMarketIds.includes(asked.marketId))
          .slice(0, asked.count);
        const { items, head } = await right.page(asked);
        expect(ids(items)).to.deep.equal(ids(expected));
        expect(head).to.equal(at(87));
      });
      await fc.assert(property, runs(200));
    });

    it('keeps both ends of a range to the microsecond, whichever way an item is found (D8, D9)', async () => {
      await left.place([item('a', at(5), 'm')], 'live');
      const ends: readonly (readonly [Partial<FeedRange>, readonly string[]])[] = [
        [{ since: at(4) }, ['a']],
        [{ since: at(5) }, ['a']],
        [{ since: at(6) }, []],
        [{ before: at(5) }, []],
        [{ before: at(6) }, ['a']],
        [{ since: at(5), before: at(6) }, ['a']],
        [{ since: at(5), before: at(5) }, []],
        [{ since: at(6), before: at(4) }, []],
      ];
      for (const [range, expected] of ends) {
        for (const filter of [{}, { newsId: 'a' }, { marketId: 'm' }, { newsId: 'a', marketId: 'm' }]) {
          const asked = { ...EVERYTHING, ...range, ...filter };
          expect(ids((await right.page(asked)).items), JSON.stringify(asked)).to.deep.equal(expected);
        }
      }
    });

    it('keeps its head when the newest item is replaced further down (D7)', async () => {
      await left.place([item('a', at(1)), item('b', at(5))], 'live');
      await right.place([item('b', at(2))], 'backfill');
      const { items, head } = await left.page(EVERYTHING);
      expect(times(items)).to.deep.equal([at(2), at(1)]);
      expect(head).to.equal(at(5));
    });

    it('places a batch as one: no other writer between, no reader before its end (D7, T16)', async () => {
      const batch = (name: string) =>
        Array.from({ length: 5 }, (_, i) => item(`${name}:${i}`, at(0), `market of ${name}`));
      for (let round = 0; round < ROUNDS; round += 1) {
        const names = [0, 1, 2, 3].map((publisher) => `${round}.${publisher}`);
        const reading = Promise.all(
          names.flatMap((name) =>
            [left, right].map((s) => s.page({ ...EVERYTHING, marketId: `market of ${name}` })),
          ),
        );
        await Promise.all(names.map((name, i) => (i % 2 === 0 ? left : right).place(batch(name), 'live')));
        for (const { items } of await reading) expect([0, 5]).to.include(items.length);
      }
      const placed = ids(await all()).reverse();
      for (let first = 0; first < placed.length; first += 5) {
        const name = placed[first]?.split(':')[0] ?? '';
        expect(placed.slice(first, first + 5)).to.deep.equal(ids(batch(name)));
      }
    });

    it('keeps one item of an id that four publish at once: the last that its log names (D11)', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const texts = [0, 1, 2, 3].map((n) => ({ ...item('a', at(n)), json: Buffer.from(`${n}`) }));
        await Promise.all(texts.map((text, i) => (i % 2 === 0 ? left : right).place([text], 'live')));
        const found = await all();
        const last = (await left.changesSince(round * 4, 100)).at(-1);
        expect(found).to.have.length(1);
        expect(last).to.include({ n: (round + 1) * 4, kind: 'placed', scoredAt: found[0]?.scoredAt });
      }
    });

    it('takes a head from the same snapshot as the items, never from a later one (D8)', async () => {
      const publish = async (target: FeedStore) => {
        for (let i = 0; i < 50; i += 1) await target.place([item(randomUUID(), at(i))], 'live');
      };
      const read = async () => {
        for (let i = 0; i < 50; i += 1) {
          const { items, head } = await right.page(EVERYTHING);
          expect(head).to.equal(items[0]?.scoredAt ?? null);
        }
      };
      await Promise.all([publish(left), publish(right), read()]);
    });

    it('agrees with a plain list, and with its own log, whatever is published and retracted', async () => {
      const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
      const published = fc.record({
        kind: fc.constantFrom('live' as const, 'backfill' as const),
        items: fc.array(fc.record({ id: name, micros: fc.nat(12), market: fc.constantFrom('m', 'n') }), {
          maxLength: 4,
        }),
      });
      const retracted = fc.record({ kind: fc.constant('retract' as const), id: name });
      const property = fc.asyncProperty(
        fc.array(fc.oneof(published, retracted), { maxLength: 12 }),
        async (steps) => {
          const fresh = await open();
          const [writer, reader] = [await fresh.instance(), await fresh.instance()];
          const plain = new Map<string, { scoredAt: Moment; market: string }>();
          let head: Moment | null = null;
          for (const step of steps) {
            if (step.kind === 'retract') {
              expect(await writer.retract(step.id)).to.equal(plain.delete(step.id));
              continue;
            }
            const batch = step.items.map(({ id, micros, market }) => item(id, at(micros), market));
            const answered = await writer.place(batch, step.kind);
            for (const [i, { id, scoredAt }] of answered.entries()) {
              plain.set(id, { scoredAt, market: step.items[i]?.market ?? '' });
              if (head === null || scoredAt > head) head = scoredAt;
            }
          }
          const newestFirst = [...plain].sort(([, a], [, b]) => (a.scoredAt < b.scoredAt ? 1 : -1));
          const expected = newestFirst.map(([id]) => id);
          const inMarket = newestFirst.filter(([, { market }]) => market === 'm').map(([id]) => id);
          const page = await reader.page(EVERYTHING);
          expect(ids(page.items)).to.deep.equal(expected);
          expect(page.head).to.equal(head);
          expect(ids((await reader.page({ ...EVERYTHING, marketId: 'm' })).items)).to.deep.equal(inMarket);
          expect(replayed(await reader.changesSince(0, 1_000))).to.deep.equal(
            new Map(page.items.map(({ id, scoredAt }) => [id, scoredAt])),
          );
          await fresh.close();
        },
      );
      await fc.assert(property, runs(100));
    });

    it('places nothing of an empty batch', async () => {
      expect(await left.place([], 'live')).to.deep.equal([]);
      expect(await right.page(EVERYTHING)).to.deep.equal({ items: [], head: null, version: 0 });
      await left.place([item('a', plus(NOON, HOUR))], 'backfill');
      expect(times(await all())).to.deep.equal([plus(NOON, HOUR)]);
    });
  });
}
