import { expect } from 'chai';
import { TermReading } from '../../../../src/adapters/caching/feed/term-reading.js';
import { FeedIndex } from '../../../../src/domain/feed/feed-index.js';
import { nextImmediate } from '../../../support/next-immediate.js';
import { item } from '../../../support/objects/listed-items.js';

const copyOf = (count: number) => {
  const items = new FeedIndex();
  for (let i = 0; i < count; i += 1) items.add(item(`i${i}`, i));
  return items;
};

describe('Reading the terms of copied items (D57)', () => {
  it('is done at once for a few items', () => {
    expect(new TermReading().isComplete(copyOf(20))).to.equal(true);
  });

  it('goes on in the background for many, and other work comes in between', async () => {
    const [items, reading] = [copyOf(100), new TermReading()];
    expect(reading.isComplete(items)).to.equal(false);
    let rounds = 0;
    while (!items.readTerms(0)) {
      await nextImmediate();
      rounds += 1;
    }
    expect(rounds).to.be.within(3, 6);
    expect(reading.isComplete(items)).to.equal(true);
  });

  it('ends for items that are no longer copied', async () => {
    const [old, fresh, reading] = [copyOf(1_000), copyOf(100), new TermReading()];
    expect([reading.isComplete(old), reading.isComplete(fresh)]).to.deep.equal([false, false]);
    while (!fresh.readTerms(0)) await nextImmediate();
    for (let i = 0; i < 60; i += 1) await nextImmediate();
    expect(old.readTerms(0)).to.equal(false);
  });
});
