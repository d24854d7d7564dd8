import { expect } from 'chai';
import fc from 'fast-check';
import type { ListedItem } from '../../../src/application/ports/feed/feed-store.js';
import { type Term, termOf } from '../../../src/domain/feed/filters/item-terms.js';
import { runs } from '../../support/objects/builders.js';
import {
  market,
  pagesOf,
  passing,
  searchableItems,
  termFilter,
  walkOf,
} from '../../support/objects/searchable-items.js';
import { at, EVERYTHING, eachFeedStore, ids } from './each-feed-store.js';

const withHeadline = (
  id: string,
  micros: number,
  headline: string,
  ...subMarketIds: string[]
): ListedItem => ({
  id,
  scoredAt: at(micros),
  subMarketIds,
  json: Buffer.from(JSON.stringify({ news_event: { headline, source_tier: 't1' } })),
});
const word = (text: string): readonly Term[] => [termOf('word', text)];
const TIER_1 = [termOf('source_tier', 't1')];

eachFeedStore(({ left, right, all, page }) => {
  const found = async (...terms: readonly (readonly Term[])[]) =>
    ids((await page(right(), { ...EVERYTHING, terms })).items);

  it('finds items by their terms, newest first, also backfilled and replaced ones (D57)', async () => {
    await left().publish([withHeadline('a', 5, 'Fed cuts'), withHeadline('b', 7, 'Fed holds')], 'live');
    await right().publish([withHeadline('c', 6, 'Bank cuts')], 'backfill');
    expect(await found(word('fed'))).to.deep.equal(['b', 'a']);
    expect(await found(word('cuts'))).to.deep.equal(['c', 'a']);
    expect(await found(word('cuts'), word('fed'))).to.deep.equal(['a']);
    expect(await found(TIER_1)).to.deep.equal(['b', 'c', 'a']);
    await right().publish([withHeadline('a', 8, 'Bank holds')], 'live');
    expect(await found(word('fed'))).to.deep.equal(['b']);
    expect(await found(word('bank'))).to.deep.equal(['a', 'c']);
    expect(await found(TIER_1)).to.deep.equal(['a', 'b', 'c']);
    expect(await found(word('fed'), word('bank'))).to.deep.equal([]);
    expect(await found(word('\0'))).to.deep.equal([]);
  });

  it('finds no retracted item by its terms, nor by those of an item with its time (D57)', async () => {
    await left().publish([withHeadline('a', 5, 'Fed cuts')], 'live');
    expect(await found(word('fed'))).to.deep.equal(['a']);
    await right().retract('a');
    expect(await found(word('fed'))).to.deep.equal([]);
    await left().publish([withHeadline('b', 5, 'Bank cuts')], 'backfill');
    expect([await found(word('fed')), await found(word('cuts')), await found(TIER_1)]).to.deep.equal([
      [],
      ['b'],
      ['b'],
    ]);
  });

  it('applies a filter by terms together with every other one, with head and position (D8, D44, D57)', async () => {
    await left().publish(
      [withHeadline('a', 5, 'Fed cuts', 'm'), withHeadline('b', 7, 'Fed holds', 'm')],
      'live',
    );
    const plain = await page(right());
    const cases = [
      [{ marketId: 'm' }, ['a']],
      [{ marketId: 'n' }, []],
      [{ newsId: 'a' }, ['a']],
      [{ newsId: 'b' }, []],
      [{ newsId: 'a', marketId: 'n' }, []],
      [{ since: at(6) }, []],
      [{ since: at(5), before: at(6) }, ['a']],
      [{ before: at(5) }, []],
    ] as const;
    for (const [range, expected] of cases) {
      const { items, head, position } = await page(right(), {
        ...EVERYTHING,
        terms: [word('cuts')],
        ...range,
      });
      expect([ids(items), head, position], JSON.stringify(range)).to.deep.equal([
        expected,
        plain.head,
        plain.position,
      ]);
    }
  });

  it('walks through the items that pass any filter, page by page, as a plain list does (D8, D57)', async () => {
    const items = searchableItems(25);
    const asked = fc.array(
      fc.record({ terms: termFilter, marketId: market, limit: fc.integer({ min: 1, max: 9 }) }),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    const property = fc.asyncProperty(items, items, asked, async (filled, live, filters) => {
      for (const id of ids(await all())) await left().retract(id);
      const stored = new Map<string, ListedItem>();
      const batches = [
        [filled, 'backfill'],
        [live, 'live'],
      ] as const;
      for (const [batch, mode] of batches) {
        const answered = await left().publish(batch, mode);
        for (const [i, { outcome, scoredAt }] of answered.entries()) {
          const one = batch[i];
          if (one !== undefined && outcome === 'accepted') stored.set(one.id, { ...one, scoredAt });
        }
      }
      await page(right());
      for (const { limit, ...filtered } of filters) {
        const expected = pagesOf(passing([...stored.values()], filtered), limit);
        expect(await walkOf(right(), filtered, limit), JSON.stringify(filtered)).to.deep.equal(expected);
      }
    });
    await fc.assert(property, runs(40));
  });
});
