import { expect } from 'chai';
import fc from 'fast-check';
import { FeedIndex } from '../../../src/domain/feed/feed-index.js';
import { MICROSECOND, type Moment, plus } from '../../../src/domain/moment.js';
import { NOON, runs } from '../../support/objects/builders.js';

type Item = {
  readonly id: string;
  readonly scoredAt: Moment;
  readonly subMarketIds: readonly string[];
  readonly json: Buffer;
};

const at = (micros: number): Moment => plus(NOON, micros * MICROSECOND);
const item = (id: string, micros: number, ...subMarketIds: readonly string[]): Item => ({
  id,
  scoredAt: at(micros),
  subMarketIds,
  json: Buffer.from('{}'),
});
const ALL = { before: null, since: null, newsId: null, marketId: null, terms: [], count: 100 };
const of = (...items: readonly Item[]): FeedIndex<Item> => {
  const index = new FeedIndex<Item>();
  for (const one of items) index.add(one);
  return index;
};
const ids = (items: readonly Item[]) => items.map(({ id }) => id);

describe('The index of a feed (D8, D9)', () => {
  it('is empty at first', () => {
    const index = of();
    expect([index.size, index.oldest(), index.get('a'), index.at(NOON)]).to.deep.equal([
      0,
      undefined,
      undefined,
      undefined,
    ]);
    expect(index.newest(ALL)).to.deep.equal([]);
    expect(index.remove('a')).to.equal(false);
  });

  it('finds an item by its id, by its time and by each of its sub-markets', () => {
    const a = item('a', 1, 'm', 'n');
    const index = of(a, item('b', 2, 'm'));
    expect([index.get('a'), index.at(at(1)), index.oldest()]).to.deep.equal([a, a, a]);
    expect(ids(index.newest({ ...ALL, marketId: 'm' }))).to.deep.equal(['b', 'a']);
    expect(ids(index.newest({ ...ALL, marketId: 'n' }))).to.deep.equal(['a']);
    expect(index.newest({ ...ALL, marketId: 'nothing' })).to.deep.equal([]);
  });

  it('has a version for each list of items, which an item that was added again changes', () => {
    const [a, b] = [item('a', 1), item('b', 2)];
    const index = of(a, b);
    const versions = [[], [a], [b], [a, b], [b, a]].map((items) => index.versionOf(items));
    expect(new Set(versions).size).to.equal(5);
    expect(index.versionOf([{ ...b }, { ...a }])).to.equal(versions[4]);
    index.remove('a');
    index.add(item('a', 3));
    expect(versions).not.to.include(index.versionOf([a]));
    expect(index.versionOf([b])).to.equal(versions[2]);
  });

  it('applies every filter of a range when an id is given', () => {
    const index = of(item('a', 5, 'm'));
    // biome-ignore format: a table is read by its columns
    const ranges = [
      [{},                               ['a']],
      [{ marketId: 'm' },                ['a']],
      [{ marketId: 'n' },                []],
      [{ since: at(5) },                 ['a']],
      [{ since: at(6) },                 []],
      [{ before: at(6) },                ['a']],
      [{ before: at(5) },                []],
    ] as const;
    for (const [range, expected] of ranges) {
      const asked = { ...ALL, newsId: 'a', ...range };
      expect(ids(index.newest(asked)), JSON.stringify(range)).to.deep.equal(expected);
    }
    expect(index.newest({ ...ALL, newsId: 'b' })).to.deep.equal([]);
  });

  it('returns the items after a time, oldest first', () => {
    const index = of(item('b', 2), item('c', 3), item('a', 1));
    expect(ids(index.after(at(1), 10))).to.deep.equal(['b', 'c']);
    expect(ids(index.after(at(0), 2))).to.deep.equal(['a', 'b']);
    expect(ids(index.after(at(3), 10))).to.deep.equal([]);
  });

  it('removes an item from every view, and its sub-markets with their last item', () => {
    const index = of(item('a', 1, 'm'), item('b', 2, 'm'));
    expect(index.remove('a')).to.equal(true);
    expect(index.remove('a')).to.equal(false);
    expect([index.size, index.get('a'), index.at(at(1))]).to.deep.equal([1, undefined, undefined]);
    expect(ids(index.newest({ ...ALL, marketId: 'm' }))).to.deep.equal(['b']);
    expect(index.remove('b')).to.equal(true);
    expect(index.newest({ ...ALL, marketId: 'm' })).to.deep.equal([]);
    index.add(item('c', 3, 'm'));
    expect(ids(index.newest({ ...ALL, marketId: 'm' }))).to.deep.equal(['c']);
  });

  it('returns every range as a plain list does, whatever was added and removed', () => {
    const edge = fc.option(fc.nat(40).map(at), { nil: null });
    const asked = fc.record({
      before: edge,
      since: edge,
      newsId: fc.option(fc.constantFrom('i1', 'i2', 'i30', 'nobody'), { nil: null }),
      marketId: fc.option(fc.constantFrom('m0', 'm1', 'nothing'), { nil: null }),
      terms: fc.constant([]),
      count: fc.integer({ min: 1, max: 30 }),
    });
    const removed = fc.array(fc.nat(35), { maxLength: 20 });
    const order = fc.shuffledSubarray(
      Array.from({ length: 36 }, (_, i) => item(`i${i}`, i, `m${i % 2}`, `n${i % 3}`)),
    );
    fc.assert(
      fc.property(order, removed, asked, (added, gone, range) => {
        const index = of(...added);
        for (const i of gone) index.remove(`i${i}`);
        const held = added.filter(({ id }) => !gone.some((i) => id === `i${i}`));
        const expected = [...held]
          .sort((a, b) => (a.scoredAt < b.scoredAt ? 1 : -1))
          .filter(({ scoredAt }) => range.before === null || scoredAt < range.before)
          .filter(({ scoredAt }) => range.since === null || scoredAt >= range.since)
          .filter(({ id }) => range.newsId === null || id === range.newsId)
          .filter(({ subMarketIds }) => range.marketId === null || subMarketIds.includes(range.marketId))
          .slice(0, range.count);
        expect(index.newest(range)).to.deep.equal(expected);
        expect(index.size).to.equal(held.length);
        const [oldest] = [...held].sort((a, b) => (a.scoredAt < b.scoredAt ? -1 : 1));
        expect(index.oldest()).to.deep.equal(oldest);
      }),
      runs(300),
    );
  });
});
