import { expect } from 'chai';
import { termOf } from '../../../../src/domain/feed/filters/item-terms.js';
import {
  foundMarketsOf,
  matchedSubMarkets,
  referencesOf,
  termsOfReferences,
  textsOfReferences,
} from '../../../../src/domain/feed/filters/market-filter.js';
import { storedMarkets } from '../../../support/objects/market-items.js';

const KALSHI = 'https://kalshi.com/markets/kxstrait/kxstrait-30';
const item = storedMarkets(
  { main: 'm1', subs: { may: 0.1, june: 0.2 } },
  { main: 'k1', url: KALSHI, subs: { 'kx-1': 0.3 } },
);

describe('References to markets as a filter (D65)', () => {
  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [references: readonly string[], matched: readonly string[]])[] = [
    [['may'],                                             ['may']],
    [['june-no'],                                         ['june']],
    [['m1'],                                              ['may', 'june']],
    [['https://www.polymarket.com/pt/event/m1/?via=x'],   ['may', 'june']],
    [['polymarket.com/event/m1/june?utm_source=x'],       ['june']],
    [['https://polymarket.com/event/m1/june?tid=9'],      []],
    [['kx-1', 'june'],                                    ['june', 'kx-1']],
    [[KALSHI.toUpperCase().replace('HTTPS', 'https')],    ['kx-1']],
    [['MAY'],                                             []],
    [['nothing', 'x'.repeat(700)],                        []],
  ];
  for (const [references, matched] of cases)
    it(`${references.join(' and ').slice(0, 60)} match ${matched.join(' and ') || 'nothing'}`, () => {
      const found = matchedSubMarkets(termsOfReferences(references), foundMarketsOf(item));
      expect([...found].toSorted()).to.deep.equal(matched.toSorted());
    });

  it('are found again in a filter, as they were sent', () => {
    const references = ['may', 'https://a.example/b?c=1', 'x'.repeat(700)];
    const anyOf = termsOfReferences(references);
    expect(referencesOf([[termOf('word', 'ref')], anyOf])).to.equal(anyOf);
    expect(referencesOf([[termOf('market', 'may')]])).to.equal(null);
    expect(textsOfReferences(anyOf)).to.deep.equal(references);
  });
});
