import { expect } from 'chai';
import { marketReferencesOf, referenceKeys } from '../../../../src/domain/feed/markets/market-references.js';
import { storedMarkets } from '../../../support/objects/market-items.js';

const KALSHI = 'https://kalshi.com/markets/kxstrait/kxstrait-30';

/** Markets as venues write them. Two at Polymarket have the same page and are told apart by their query. */
const MARKETS = [
  ...marketReferencesOf(
    storedMarkets({ main: 'm1', url: 'https://polymarket.com/event/strait', subs: { may: 0.1, june: 0.2 } }),
  ),
  ...marketReferencesOf(storedMarkets({ main: 'm2', url: 'https://polymarket.com/event/vote?tid=1' })),
  ...marketReferencesOf(storedMarkets({ main: 'm3', url: 'https://polymarket.com/event/vote?tid=2' })),
  ...marketReferencesOf(storedMarkets({ main: 'k1', url: KALSHI })),
  ...marketReferencesOf(storedMarkets({ main: 'k2', url: `${KALSHI}#kxstrait-30-may` })),
  ...marketReferencesOf(
    storedMarkets({ main: 'q1', url: 'https://www.metaculus.com/questions/4711/strait/' }),
  ),
];

/** The ids of the markets that a reference means. */
function found(text: string): readonly string[] {
  for (const keys of referenceKeys(text)) {
    const matching = MARKETS.filter((market) => market.keys.some((key) => keys.includes(key)));
    if (matching.length > 0) return matching.map(({ marketId }) => marketId);
  }
  return [];
}

const REFERENCES: readonly (readonly [text: string, found: readonly string[]])[] = [
  ['m1', ['m1']],
  ['may', ['may']],
  ['may-yes', ['may']],
  ['may-no', ['may']],
  ['MAY', []],
  ['strait', ['m1', 'q1']],
  ['https://polymarket.com/event/strait', ['m1']],
  ['polymarket.com/event/strait/', ['m1']],
  ['https://www.polymarket.com/pt/event/strait/may/?utm_source=x&via=y', ['may']],
  ['https://polymarket.com/event/strait/may?tid=9#comments', ['may']],
  ['https://polymarket.com/event/strait/july', []],
  ['https://polymarket.com/event/vote?tid=2', ['m3']],
  ['https://polymarket.com/event/vote', ['m2', 'm3']],
  ['https://polymarket.com/event/vote?tid=3', ['m2', 'm3']],
  [KALSHI, ['k1']],
  [`${KALSHI}#KXSTRAIT-30-MAY`, ['k2']],
  [`${KALSHI}#kxstrait-30-june`, ['k1']],
  ['KXSTRAIT-30-MAY', ['k2']],
  ['kxstrait-30', ['k1']],
  ['https://metaculus.com/questions/4711/renamed-since/', ['q1']],
  ['https://metaculus.com/questions/4712/strait/', []],
  ['https://example.com/event/strait', []],
];

describe('referenceKeys', () => {
  for (const [text, markets] of REFERENCES)
    it(`finds ${markets.join(' and ') || 'nothing'} by ${text}`, () => {
      expect(found(text)).to.deep.equal(markets);
    });

  it('leaves out what an index cannot have', () => {
    expect(referenceKeys(`https://a.example/${'x'.repeat(700)}`)).to.deep.equal([[], []]);
    for (const text of ['a\0', 'a\ud800']) expect(referenceKeys(text)).to.deep.equal([[]]);
  });
});

describe('marketReferencesOf', () => {
  it('has the id, the tokens, the forms of the URL and its last segment of each market', () => {
    expect(marketReferencesOf(storedMarkets({ main: 'm', subs: { s: 0.5 } }))).to.deep.equal([
      {
        kind: 'main',
        marketId: 'm',
        mainMarketId: null,
        venue: 'polymarket.com',
        keys: ['id:m', 'url:polymarket.com/event/m', 'page:polymarket.com/event/m', 'slug:m'],
      },
      {
        kind: 'sub',
        marketId: 's',
        mainMarketId: 'm',
        venue: 'polymarket.com',
        keys: [
          ...['id:s', 'token:s-yes', 'token:s-no'],
          ...['url:polymarket.com/event/m/s', 'page:polymarket.com/event/m/s', 'slug:s'],
        ],
      },
    ]);
  });
});
