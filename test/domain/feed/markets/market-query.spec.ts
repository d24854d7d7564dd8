import { expect } from 'chai';
import {
  comparePlaces,
  type MarketFilter,
  type MarketPlace,
  marketCursor,
  passesMarketFilter,
  placeOf,
  readMarketCursor,
} from '../../../../src/domain/feed/markets/market-query.js';
import type { MarketRow } from '../../../../src/domain/feed/markets/market-row.js';
import { HOUR, plus } from '../../../../src/domain/moment.js';
import { NOON } from '../../../support/objects/builders.js';

const NOON_PLACE: MarketPlace = { kind: 'sub', marketId: 's-ä', lastNewsAt: NOON };
const ROW: MarketRow = {
  facts: {
    ...{ kind: 'sub', marketId: 's', mainMarketId: 'm', url: 'https://polymarket.com/event/m/s' },
    ...{ title: 'Halvex Strait in May', venue: 'polymarket.com', outcomes: null, snapshot: null },
  },
  ...{ firstNewsAt: NOON, lastNewsAt: plus(NOON, HOUR), newsCount: 2 },
};
const ANY: MarketFilter = { queryWords: [], venue: null, kind: null, mainMarketId: null };

const FILTERS: readonly (readonly [Partial<MarketFilter>, boolean])[] = [
  [{}, true],
  [{ queryWords: ['strait', 'halvex'] }, true],
  [{ queryWords: ['strait', 'june'] }, false],
  [{ venue: 'polymarket.com' }, true],
  [{ venue: 'kalshi.com' }, false],
  [{ kind: 'sub' }, true],
  [{ kind: 'main' }, false],
  [{ mainMarketId: 'm' }, true],
  [{ mainMarketId: 's' }, false],
  [{ queryWords: ['may'], venue: 'polymarket.com', kind: 'sub', mainMarketId: 'n' }, false],
];

describe('passesMarketFilter', () => {
  for (const [filter, passes] of FILTERS)
    it(`${passes ? 'passes' : 'does not pass'} ${JSON.stringify(filter)}`, () => {
      expect(passesMarketFilter({ ...ANY, ...filter }, ROW)).to.equal(passes);
    });
});

describe('comparePlaces', () => {
  const ordered = (sort: 'news' | 'id') =>
    [
      { kind: 'sub', marketId: 'a', lastNewsAt: NOON },
      { kind: 'main', marketId: '\u{1f600}', lastNewsAt: NOON },
      { kind: 'main', marketId: '\uffee', lastNewsAt: NOON },
      { kind: 'main', marketId: 'a', lastNewsAt: NOON },
      { kind: 'main', marketId: 'b', lastNewsAt: plus(NOON, HOUR) },
    ]
      .toSorted((a, b) => comparePlaces(sort, a as MarketPlace, b as MarketPlace))
      .map(({ kind, marketId }) => `${kind} ${marketId}`);

  it('has the newest news first, then the order of ids', () => {
    expect(ordered('news')).to.deep.equal(['main b', 'main a', 'sub a', 'main \uffee', 'main \u{1f600}']);
  });

  it('has the order of ids', () => {
    expect(ordered('id')).to.deep.equal(['main a', 'sub a', 'main b', 'main \uffee', 'main \u{1f600}']);
  });
});

describe('marketCursor', () => {
  it('is read back for its order only', () => {
    expect(placeOf(ROW)).to.deep.equal({ kind: 'sub', marketId: 's', lastNewsAt: plus(NOON, HOUR) });
    expect(readMarketCursor('id', marketCursor('id', NOON_PLACE))).to.deep.equal(NOON_PLACE);
    expect(readMarketCursor('news', marketCursor('id', NOON_PLACE))).to.equal(null);
  });

  const written = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const WRONG = [
    ...['', 'a', '!', `${marketCursor('id', NOON_PLACE)}=`, written(null), written({}), written(['id'])],
    ...[written(['id', 'both', 's', NOON]), written(['id', 'sub', 1, NOON]), written(['id', 'sub', 's', 5])],
    written(['id', 'sub', 's', 'today']),
  ];
  for (const text of WRONG)
    it(`is not read from "${text}"`, () => expect(readMarketCursor('id', text)).to.equal(null));
});
