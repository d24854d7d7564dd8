import { expect } from 'chai';
import fc from 'fast-check';
import { FeedIndex } from '../../../../src/domain/feed/feed-index.js';
import {
  passes,
  type Term,
  termOf,
  termsOf,
  withMarket,
} from '../../../../src/domain/feed/filters/item-terms.js';
import { MICROSECOND, plus } from '../../../../src/domain/moment.js';
import { NOON, runs } from '../../../support/objects/builders.js';

const at = (micros: number) => plus(NOON, micros * MICROSECOND);
const WORDS = ['a', 'b', 'c', 'd'];
const term: fc.Arbitrary<Term> = fc.constantFrom(...WORDS, 'nothing').map((word) => termOf('word', word));

describe('The index of a feed, filtered by terms (D57)', () => {
  const items = fc.uniqueArray(
    fc.record({ micros: fc.nat(40), headline: fc.subarray(WORDS), market: fc.constantFrom('m', 'n') }),
    { selector: ({ micros }) => micros, maxLength: 30 },
  );
  const edge = fc.option(fc.nat(45).map(at), { nil: null });
  const asked = fc.record({
    before: edge,
    since: edge,
    newsId: fc.option(fc.constantFrom('i1', 'i2'), { nil: null }),
    marketId: fc.option(fc.constantFrom('m', 'k'), { nil: null }),
    terms: fc.array(fc.array(term, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
    count: fc.integer({ min: 1, max: 20 }),
  });

  it('returns the items of a plain list that pass, whatever was added, removed and read before', () => {
    const property = fc.property(items, fc.array(fc.nat(40)), fc.nat(40), asked, (all, gone, read, range) => {
      const index = new FeedIndex();
      const stored = all.map(({ micros, headline, market }) => ({
        id: `i${micros}`,
        scoredAt: at(micros),
        subMarketIds: [market],
        json: Buffer.from(JSON.stringify({ news_event: { headline: headline.join(' ') } })),
      }));
      for (const item of stored) index.add(item);
      index.readTerms(read);
      for (const micros of gone) index.remove(`i${micros}`);
      const expected = stored
        .filter(({ id }) => !gone.some((micros) => id === `i${micros}`))
        .sort((a, b) => (a.scoredAt < b.scoredAt ? 1 : -1))
        .filter(({ scoredAt }) => range.before === null || scoredAt < range.before)
        .filter(({ scoredAt }) => range.since === null || scoredAt >= range.since)
        .filter(({ id }) => range.newsId === null || id === range.newsId)
        .filter((item) => passes(withMarket(range.terms, range.marketId), termsOf(item)))
        .slice(0, range.count);
      expect(index.readTerms(100)).to.equal(true);
      expect(index.newest(range)).to.deep.equal(expected);
    });
    fc.assert(property, runs(500));
  });

  it('reads the terms of as many items as it is told', () => {
    const index = new FeedIndex();
    for (const id of ['a', 'b', 'c'])
      index.add({ id, scoredAt: at(id.charCodeAt(0)), subMarketIds: [], json: Buffer.from('{}') });
    expect([index.readTerms(2), index.readTerms(0), index.readTerms(2), index.readTerms(0)]).to.deep.equal([
      false,
      false,
      true,
      true,
    ]);
  });
});
