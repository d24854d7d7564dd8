import { expect } from 'chai';
import { feedPath, feedToken } from '../../../src/domain/destinations/feed-token.js';
import { isFeedToken } from '../../../src/domain/keys/key-value.js';

describe('The token of a feed', () => {
  const token = feedToken(`${'a'.repeat(42)}A`);

  it('has the form of a key, and is the name of its file (D67)', () => {
    expect(isFeedToken(token)).to.equal(true);
    expect(feedPath(token)).to.match(/^\/feeds\/feed_[\w-]{43}\.atom$/);
  });
});
