import { expect } from 'chai';
import {
  feedPath,
  feedToken,
  isFeedToken,
  withoutFeedTokens,
} from '../../../src/domain/destinations/feed-token.js';

describe('The token of a feed', () => {
  const token = feedToken(`${'a'.repeat(42)}A`);

  it('has the form of a key, and is the name of its file (D67)', () => {
    expect(isFeedToken(token)).to.equal(true);
    expect(feedPath(token)).to.match(/^\/feeds\/feed_[\w-]{43}\.atom$/);
  });

  it('is redacted wherever it stands in a path (D19)', () => {
    for (const path of [feedPath(token), `/${feedPath(token)}`, `/elsewhere/${token}`])
      expect(withoutFeedTokens(path)).not.to.include('a'.repeat(16));
  });
});
