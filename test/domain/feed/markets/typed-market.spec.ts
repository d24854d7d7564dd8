import { expect } from 'chai';
import { marketFactsOf } from '../../../../src/domain/feed/markets/market-facts.js';
import { isSuggested, typedMarketOf } from '../../../../src/domain/feed/markets/typed-market.js';
import { market, moment, publication, subMarket } from '../../../support/objects/builders.js';

const NOON = moment('2026-03-01T12:00:00.000000Z');

function rowTitled(title: string) {
  const sub = { ...subMarket('s'), sub_market_title: title };
  const facts = marketFactsOf(publication({ related_markets: [market('m', sub)] })).find(
    ({ kind }) => kind === 'sub',
  );
  return {
    facts: facts ?? expect.fail('there is a sub-market'),
    firstNewsAt: NOON,
    lastNewsAt: NOON,
    newsCount: 1,
  };
}

describe('A text with which somebody looks for a market', () => {
  for (const [text, typed] of [
    ['', null],
    ['a', null],
    ['fe', { queryWords: [], beginning: 'fe' }],
    ['Fed ra', { queryWords: ['fed'], beginning: 'ra' }],
    ['rate-cu', { queryWords: ['rate'], beginning: 'cu' }],
    ['Will the Fed cut its ra', { queryWords: ['the', 'fed', 'cut', 'its'], beginning: 'ra' }],
  ] as const)
    it(`has complete words and a beginning while it is typed: ${JSON.stringify(text)}`, () => {
      expect(typedMarketOf(text)).to.deep.equal(typed);
    });

  it('suggests a market with a word that begins so', () => {
    const suggestedFor = (beginning: string) =>
      isSuggested({ queryWords: [], beginning }, rowTitled('Will the Fed cut rates?'));
    expect(['ra', 'rates', 'ates', 'x'].map(suggestedFor)).to.deep.equal([true, true, false, false]);
  });
});
