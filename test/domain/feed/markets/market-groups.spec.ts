import { expect } from 'chai';
import type { MarketFacts } from '../../../../src/domain/feed/markets/market-facts.js';
import { marketGroups } from '../../../../src/domain/feed/markets/market-groups.js';
import { NOON } from '../../../support/objects/builders.js';

const rowOf = (kind: MarketFacts['kind'], marketId: string, mainMarketId: string | null = null) => ({
  facts: {
    ...{ kind, marketId, mainMarketId, url: '', title: marketId },
    ...{ venue: null, outcomes: null, snapshot: null },
  },
  ...{ firstNewsAt: NOON, lastNewsAt: NOON, newsCount: 1 },
});
const main = (id: string) => rowOf('main', id);
const sub = (id: string, of: string | null) => rowOf('sub', id, of);

const groupsOf = (...rows: readonly ReturnType<typeof rowOf>[]) =>
  marketGroups(rows).map(({ row, subMarkets }) => [
    row.facts.marketId,
    ...subMarkets.map(({ facts }) => facts.marketId),
  ]);

describe('marketGroups', () => {
  it('puts sub-markets below their main market, in the order of the first market of each group', () => {
    expect(
      groupsOf(sub('b1', 'b'), main('a'), sub('a2', 'a'), main('b'), sub('a1', 'a'), sub('b2', 'b')),
    ).to.deep.equal([
      ['b', 'b1', 'b2'],
      ['a', 'a2', 'a1'],
    ]);
  });

  it('keeps a main market alone, and sub-markets whose main market is not in the list or not known', () => {
    expect(groupsOf(main('a'), sub('b1', 'b'), sub('b2', 'b'), sub('c1', null))).to.deep.equal([
      ['a'],
      ['b1'],
      ['b2'],
      ['c1'],
    ]);
  });

  it('tells a main market from a sub-market with the same id', () => {
    expect(groupsOf(sub('x', 'y'), main('x'), sub('z', 'x'))).to.deep.equal([['x'], ['x', 'z']]);
  });

  it('is empty without markets', () => {
    expect(groupsOf()).to.deep.equal([]);
  });
});
