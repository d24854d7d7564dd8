import { expect } from 'chai';
import fc from 'fast-check';
import type { FeedRange } from '../../../src/application/ports/feed/feed-store.js';
import { type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON, runs } from '../../support/objects/builders.js';
import { ROUNDS } from '../two-instances.js';
import { at, EVERYTHING, eachFeedStore, ids, item, times } from './each-feed-store.js';

eachFeedStore(({ left, right, all, page }) => {
  it('returns published items, newest first, byte by byte, on every instance', async () => {
    await left().publish([item('a', at(1)), item('b', at(2))], 'live');
    const { items, head } = await page(right());
    expect(ids(items)).to.deep.equal(['b', 'a']);
    expect(times(items)).to.deep.equal([at(2), at(1)]);
    expect(items[0]?.json.equals(item('b').json)).to.equal(true);
    expect(head).to.equal(at(2));
  });

  it('shows an instance its own changes in its next read', async () => {
    for (let i = 0; i < ROUNDS; i += 1) {
      await left().publish([item(`a${i}`, at(i))], 'live');
      expect(ids((await left().page(EVERYTHING)).items)).to.deep.equal([`a${i}`]);
      expect(await left().retract(`a${i}`)).to.equal(true);
      expect((await left().page(EVERYTHING)).items).to.deep.equal([]);
    }
  });

  it('shows below a cursor every change that any instance made before the call (D44)', async () => {
    const range = { ...EVERYTHING, before: at(ROUNDS) };
    for (let i = 0; i < ROUNDS; i += 1) {
      await left().publish([item(`a${i}`, at(i))], 'backfill');
      expect(ids((await right().page(range)).items)).to.deep.equal([`a${i}`]);
      expect(await right().retract(`a${i}`)).to.equal(true);
      expect((await left().page(range)).items).to.deep.equal([]);
    }
  });

  it('is empty at first, without a head (D8)', async () => {
    const { items, head, position } = await page(left());
    expect([items, head, position.n]).to.deep.equal([[], null, 0]);
  });

  it('retracts an item once, from every view (D11)', async () => {
    await left().publish([item('a', at(1), 'm1')], 'live');
    expect(await right().retract('a')).to.equal(true);
    expect(await left().retract('a')).to.equal(false);
    expect(await left().retract('never \0 there')).to.equal(false);
    for (const range of [{}, { newsId: 'a' }, { marketId: 'm1' }]) {
      expect((await page(left(), { ...EVERYTHING, ...range })).items).to.deep.equal([]);
    }
  });

  it('returns with each page the position of the last change in it (D44)', async () => {
    await left().publish([item('a', at(1)), item('b', at(2))], 'live');
    const before = await page(right());
    expect(before.position.n).to.equal(2);
    expect((await page(left())).position).to.deep.equal(before.position);
    await right().retract('a');
    await left().retract('nobody');
    const after = await page(left(), { ...EVERYTHING, newsId: 'a' });
    expect(after.position.n).to.equal(3);
  });

  it('raises its head to one that was seen, at most 5 s ahead of the clock, and never lowers it (D45)', async () => {
    await left().publish([item('a', at(1))], 'live');
    expect(await right().raiseHead(null, at(0))).to.equal(null);
    expect(await right().raiseHead(at(1), at(0))).to.equal(null);
    const before = await page(left());
    expect(await right().raiseHead(at(7), at(0))).to.equal(at(7));
    const after = await page(left());
    expect([ids(after.items), after.head]).to.deep.equal([['a'], at(7)]);
    expect(after.position.n).to.equal(before.position.n + 1);
    expect(await left().raiseHead(at(7), at(0))).to.equal(null);
    expect(times(await left().publish([item('b', at(2))], 'live'))).to.deep.equal([at(8)]);
    const limit = plus(at(0), 5 * SECOND);
    expect(await left().raiseHead(plus(limit, SECOND), at(0))).to.equal(limit);
  });

  it('finds the current items by id, with their sub-markets and the numbers of their last changes', async () => {
    await left().publish([item('a', at(1), 'm'), item('b', at(2), 'n', 'm')], 'live');
    await right().publish([item('a', at(3), 'k')], 'live');
    const { items: found, position } = await left().find(['b', 'a', 'nobody', '\0']);
    expect(new Map(found.map((one) => [one.id, one]))).to.deep.equal(
      new Map([
        ['a', { ...item('a', at(3), 'k'), n: position.n }],
        ['b', { ...item('b', at(2), 'n', 'm'), n: position.n - 1 }],
      ]),
    );
    expect(position).to.deep.equal((await page(right())).position);
    expect(await right().find([])).to.deep.equal({ items: [], position });
  });

  it('returns every range as a plain list does', async () => {
    const held = Array.from({ length: 30 }, (_, i) => item(`i${i}`, at(i * 3), `m${i % 3}`, `n${i % 5}`));
    await left().publish(held, 'live');
    const edge = fc.option(fc.integer({ min: -2, max: 95 }).map(at), { nil: null });
    const range = fc.record({
      before: edge,
      since: edge,
      newsId: fc.option(fc.constantFrom('i0', 'i7', 'i29', 'nobody', '\0'), { nil: null }),
      marketId: fc.option(fc.constantFrom('m0', 'm2', 'n4', 'nothing', '\0'), { nil: null }),
      terms: fc.constant([]),
      count: fc.integer({ min: 1, max: 40 }),
    });
    const property = fc.asyncProperty(range, async (wanted) => {
      const expected = [...held]
        .reverse()
        .filter(({ scoredAt }) => wanted.before === null || scoredAt < wanted.before)
        .filter(({ scoredAt }) => wanted.since === null || scoredAt >= wanted.since)
        .filter(({ id }) => wanted.newsId === null || id === wanted.newsId)
        .filter(({ subMarketIds }) => wanted.marketId === null || subMarketIds.includes(wanted.marketId))
        .slice(0, wanted.count);
      const { items, head } = await page(right(), wanted);
      expect(ids(items)).to.deep.equal(ids(expected));
      expect(head).to.equal(at(87));
    });
    await fc.assert(property, runs(200));
  });

  it('respects both ends of a range to the microsecond, for every filter (D8, D9)', async () => {
    await left().publish([item('a', at(5), 'm')], 'live');
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
        const wanted = { ...EVERYTHING, ...range, ...filter };
        expect(ids((await page(right(), wanted)).items), JSON.stringify(wanted)).to.deep.equal(expected);
      }
    }
  });

  it('returns on a page below a cursor all items stored at the time of the call, and no retracted ones (D7)', async () => {
    const stored = new Map<string, Moment>();
    for (let i = 0; i < 3 * ROUNDS; i += 1) {
      const id = `i${i % 7}`;
      if (i % 4 === 3) {
        await left().retract(id);
        stored.delete(id);
      } else {
        const mode = i % 3 === 0 || stored.has(id) ? 'live' : 'backfill';
        const [published] = await left().publish([item(id, at((i * 31) % 50))], mode);
        stored.set(id, published?.scoredAt ?? NOON);
      }
      const newestFirst = [...stored].sort(([, a], [, b]) => (a < b ? 1 : -1)).map(([one]) => one);
      const below = await page(right(), { ...EVERYTHING, before: at(1_000) });
      expect(ids(below.items)).to.deep.equal(newestFirst);
    }
  });

  it('equals a plain list, whatever is published and retracted', async () => {
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
        // An empty feed with the head of the previous run: opening another one is the slowest step.
        for (const id of ids(await all())) await left().retract(id);
        let { head } = await page(right());
        const plain = new Map<string, { scoredAt: Moment; market: string }>();
        for (const step of steps) {
          if (step.kind === 'retract') {
            expect(await left().retract(step.id)).to.equal(plain.delete(step.id));
            continue;
          }
          const batch = step.items.map(({ id, micros, market }) => item(id, at(micros), market));
          const answered = await left().publish(batch, step.kind);
          for (const [i, { outcome, id, scoredAt }] of answered.entries()) {
            expect(scoredAt).to.equal(outcome === 'accepted' ? scoredAt : plain.get(id)?.scoredAt);
            if (outcome === 'accepted') plain.set(id, { scoredAt, market: step.items[i]?.market ?? '' });
            if (head === null || scoredAt > head) head = scoredAt;
          }
        }
        const newestFirst = [...plain].sort(([, a], [, b]) => (a.scoredAt < b.scoredAt ? 1 : -1));
        const expected = newestFirst.map(([id]) => id);
        const inMarket = newestFirst.filter(([, { market }]) => market === 'm').map(([id]) => id);
        const end = await page(right());
        expect(ids(end.items)).to.deep.equal(expected);
        expect(end.head).to.equal(head);
        expect(ids((await page(right(), { ...EVERYTHING, marketId: 'm' })).items)).to.deep.equal(inMarket);
      },
    );
    await fc.assert(property, runs(100));
  });
});
