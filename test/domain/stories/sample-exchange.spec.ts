import { expect } from 'chai';
import {
  mainMarket,
  marketUrl,
  momentumOf,
  SNAPSHOT_NOTE,
  tokenId,
} from '../../../src/domain/stories/sample-exchange.js';
import { SeededRandom } from '../../../src/domain/stories/seeded-random.js';

describe('The exchange of the stories', () => {
  it('has main markets without details, and addresses that nobody owns', () => {
    const market = mainMarket('halvex', 'Halvex');
    expect(market).to.include({ market_id: 'mk-halvex', market_url: marketUrl('halvex'), outcomes: null });
    expect(market.market_url).to.match(/^https:\/\/tallystone\.example\//);
  });

  it('has momentum from a move of three points on, in either direction', () => {
    expect([2, 3, -3].map((move) => momentumOf(move).passed)).to.deep.equal([false, true, true]);
  });

  it('has tokens of 24 digits, and a note on each price', () => {
    expect(tokenId(new SeededRandom(3))).to.match(/^[1-9]\d{23}$/);
    expect(SNAPSHOT_NOTE).to.match(/^Reference only/);
  });
});
