import { expect } from 'chai';
import type { ListedItem } from '../../../src/application/ports/feed/feed-store.js';
import { termOf } from '../../../src/domain/feed/filters/item-terms.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';
import { at, EVERYTHING, ids } from './each-feed-store.js';

const COUNT = 5;
const items = Array.from({ length: COUNT }, (_, i): ListedItem => {
  const news_event = { headline: `Item ${i}`, source_tier: `t${i % 2}` };
  return {
    id: `i${i}`,
    scoredAt: at(i),
    subMarketIds: ['m'],
    json: Buffer.from(JSON.stringify({ news_event })),
  };
});

eachAdapter('UnindexedItems', contracts.unindexedItems, (instance) => {
  it('gives items their terms, some at a time, and every filter finds them before, meanwhile and after (D57)', async () => {
    const { feed, unindexedItems, removeTerms } = await instance();
    await feed.publish(items, 'live');
    await removeTerms();
    const check = async () => {
      const found = async (...terms: readonly ReturnType<typeof termOf>[]) =>
        ids((await feed.page({ ...EVERYTHING, terms: terms.map((term) => [term]) })).items);
      expect(await found(termOf('source_tier', 't0'))).to.deep.equal(['i4', 'i2', 'i0']);
      expect(await found(termOf('word', 'item'), termOf('source_tier', 't1'))).to.deep.equal(['i3', 'i1']);
      expect(await found(termOf('word', '3'))).to.deep.equal(['i3']);
      expect(await found(termOf('word', 'none'))).to.deep.equal([]);
    };
    await check();
    let total = 0;
    for (let indexed = await unindexedItems.index(2); indexed > 0; indexed = await unindexedItems.index(2)) {
      expect(indexed).to.be.at.most(2);
      total += indexed;
      await check();
    }
    expect(total).to.be.oneOf([0, COUNT]);
    expect(await unindexedItems.index(2)).to.equal(0);
  });
});
