import { expect } from 'chai';
import type { ListedItem, PurgeOrder } from '../../../src/application/ports/feed/feed-store.js';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import { termOf } from '../../../src/domain/feed/filters/item-terms.js';
import { ROUNDS } from '../two-instances.js';
import { at, EVERYTHING, eachFeedStore, ids } from './each-feed-store.js';

const ORDER: PurgeOrder = { actor: 'operator', reason: 'the subject has asked for it' as Reason };

const withHeadline = (id: string, micros: number, headline: string): ListedItem => ({
  id,
  scoredAt: at(micros),
  subMarketIds: ['m1'],
  json: Buffer.from(JSON.stringify({ news_event: { headline, source_tier: 't1' } })),
});

eachFeedStore(({ left, right, all, page }) => {
  const found = async (word: string) =>
    ids((await page(left(), { ...EVERYTHING, terms: [[termOf('word', word)]] })).items);

  it('purges an item once, from every view, and no other item (D62)', async () => {
    await left().publish([withHeadline('a', 1, 'Fed cuts'), withHeadline('b', 2, 'Fed holds')], 'live');
    expect(await right().purge('a', ORDER)).to.equal('purged');
    expect(await left().purge('a', ORDER)).to.equal('purged before');
    expect(await left().purge('never \0 there', ORDER)).to.equal('unknown');
    expect(ids(await all())).to.deep.equal(['b']);
    for (const range of [{ newsId: 'a' }, { marketId: 'm1' }])
      expect(ids((await page(left(), { ...EVERYTHING, ...range })).items)).not.to.include('a');
    expect([await found('fed'), await found('cuts'), await found('holds')]).to.deep.equal([['b'], [], ['b']]);
  });

  it('shows an instance its own purge in its next read (D62)', async () => {
    for (let i = 0; i < ROUNDS; i += 1) {
      await left().publish([withHeadline(`a${i}`, i, 'Fed cuts')], 'live');
      expect(ids((await left().page(EVERYTHING)).items)).to.deep.equal([`a${i}`]);
      await left().purge(`a${i}`, ORDER);
      expect((await left().page(EVERYTHING)).items).to.deep.equal([]);
    }
  });

  it('purges what is left of a replaced and of a retracted item, with one change (D62)', async () => {
    await left().publish([withHeadline('a', 1, 'Fed cuts')], 'live');
    await left().publish([withHeadline('a', 2, 'Fed holds')], 'live');
    await right().retract('a');
    const { n } = (await page(left())).position;
    expect(await left().purge('a', ORDER)).to.equal('purged');
    expect((await page(right())).position.n).to.equal(n + 1);
    expect(await right().purge('a', ORDER)).to.equal('purged before');
    expect((await page(right())).position.n).to.equal(n + 1);
    expect(await all()).to.deep.equal([]);
  });

  it('finds an item that is published again under a purged id, by all its terms (D62)', async () => {
    await left().publish([withHeadline('a', 1, 'Fed cuts')], 'live');
    await right().purge('a', ORDER);
    await left().publish([withHeadline('a', 2, 'Fed cuts'), withHeadline('b', 3, 'Bank cuts')], 'live');
    expect([await found('fed'), await found('cuts')]).to.deep.equal([['a'], ['b', 'a']]);
  });
});
