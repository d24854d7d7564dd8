import { expect } from 'chai';
import type { MarketFacts } from '../../../../src/domain/feed/markets/market-facts.js';
import { marketRowOf, titleWords } from '../../../../src/domain/feed/markets/market-row.js';
import { HOUR, plus } from '../../../../src/domain/moment.js';
import { NOON } from '../../../support/objects/builders.js';

const factsOf = (title: string): MarketFacts => ({
  ...{ kind: 'main', marketId: 'm', mainMarketId: null, url: 'https://polymarket.com/event/m' },
  ...{ title, venue: 'polymarket.com', outcomes: null, snapshot: null },
});

describe('marketRowOf', () => {
  it('has what the newest item says, and the times and the number of all items', () => {
    const at = (hours: number) => ({
      facts: factsOf(`after ${hours} h`),
      scoredAt: plus(NOON, hours * HOUR),
    });
    expect(marketRowOf([at(2), at(3), at(1)])).to.deep.equal({
      facts: factsOf('after 3 h'),
      firstNewsAt: plus(NOON, HOUR),
      lastNewsAt: plus(NOON, 3 * HOUR),
      newsCount: 3,
    });
  });

  it('is null without an item', () => {
    expect(marketRowOf([])).to.equal(null);
  });
});

describe('titleWords', () => {
  it('has each word of the title once, without case and accents, at most 200', () => {
    expect([...titleWords(factsOf('Élection: elected? ELECTION'))]).to.deep.equal(['election', 'elected']);
    const many = Array.from({ length: 300 }, (_, n) => `w${n}`).join(' ');
    expect(titleWords(factsOf(many)).size).to.equal(200);
  });
});
