import { expect } from 'chai';
import { marketFactsOf } from '../../../../src/domain/feed/markets/market-facts.js';
import { snapshotOf, storedMarkets, tokensOf } from '../../../support/objects/market-items.js';

describe('marketFactsOf', () => {
  it('has the main markets and their sub-markets', () => {
    const url = 'https://www.polymarket.com/event/strait';
    const item = storedMarkets({ main: 'm1', title: 'Strait', url, subs: { s1: 0.4 } }, { main: 'm2' });
    expect(marketFactsOf(item)).to.deep.equal([
      {
        ...{ kind: 'main', marketId: 'm1', mainMarketId: null, url, title: 'Strait' },
        ...{ venue: 'polymarket.com', outcomes: null, snapshot: null },
      },
      {
        ...{ kind: 'sub', marketId: 's1', mainMarketId: 'm1', url: `${url}/s1`, title: 'Strait, s1' },
        ...{ venue: 'polymarket.com', outcomes: tokensOf('s1'), snapshot: snapshotOf(0.4) },
      },
      {
        ...{ kind: 'main', marketId: 'm2', mainMarketId: null, title: 'Title of m2' },
        ...{ url: 'https://polymarket.com/event/m2' },
        ...{ venue: 'polymarket.com', outcomes: null, snapshot: null },
      },
    ]);
  });

  it('has a market once that is named twice, and two markets of one id', () => {
    const facts = marketFactsOf(
      storedMarkets({ main: 'm', title: 'one', subs: { m: 0.1 } }, { main: 'm', title: 'two' }),
    );
    expect(facts.map(({ kind, title }) => [kind, title])).to.deep.equal([
      ['main', 'one'],
      ['sub', 'one, m'],
    ]);
  });

  it('reads items that lack fields, as another version may have stored them', () => {
    expect(marketFactsOf({})).to.deep.equal([]);
    expect(marketFactsOf({ related_markets: [{}, { main_market: {}, sub_markets: [{}] }] })).to.deep.equal(
      [],
    );
    expect(marketFactsOf({ related_markets: [{ sub_markets: [{ sub_market_id: 's' }] }] })).to.deep.equal([
      {
        ...{
          kind: 'sub',
          marketId: 's',
          mainMarketId: null,
          url: '',
          title: '',
          venue: null,
          snapshot: null,
        },
        outcomes: { yes: { token_id: null }, no: { token_id: null } },
      },
    ]);
  });
});
