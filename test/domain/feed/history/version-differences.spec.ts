import { expect } from 'chai';
import type { FeedItem } from '../../../../src/domain/feed/feed-item.js';
import { versionDifferences } from '../../../../src/domain/feed/history/version-differences.js';
import { market, publication, subMarket } from '../../../support/objects/builders.js';

const item = (change: (item: FeedItem) => object = () => ({})): FeedItem => {
  const made = publication({
    related_markets: [market('m1', subMarket('s1'), subMarket('s2'))],
  }) as unknown as FeedItem;
  return { ...made, ...change(made) };
};

const subs = (...ids: readonly string[]) => ({
  related_markets: [market('m1', ...ids.map((id) => subMarket(id)))],
});

describe('The differences of two versions', () => {
  it('are none for the same version, also with its markets in another order, published again', () => {
    const again = publication({ endpoint_published_at: '2026-03-02T00:00:00Z' }) as unknown as FeedItem;
    const [{ news_event }, { news_event: later }] = [item(), again];
    expect(
      versionDifferences(
        item(),
        item(() => ({ news_event: later })),
      ),
    ).to.deep.equal([]);
    expect(news_event).not.to.deep.equal(later);
    expect(versionDifferences(item(), item())).to.deep.equal([]);
    expect(
      versionDifferences(
        item(),
        item(() => subs('s2', 's1')),
      ),
    ).to.deep.equal([]);
  });

  it('name a field of the event, and a list as a whole', () => {
    const later = item(({ news_event }) => ({
      news_event: { ...news_event, headline: 'Talks end', author: 'A', feed_categories: ['a', 'b'] },
    }));
    expect(versionDifferences(item(), later)).to.deep.equal([
      { field: 'news_event.headline', before: 'Talks resume', after: 'Talks end' },
      { field: 'news_event.author', before: null, after: 'A' },
      { field: 'news_event.feed_categories', before: ['geopolitics'], after: ['a', 'b'] },
    ]);
  });

  it('name a price by the id of its sub-market', () => {
    const [sub] = [subMarket('s1')];
    const changed = { ...sub, market_snapshot: { ...sub.market_snapshot, yes_ask: 0.99 } };
    const later = item(() => ({ related_markets: [market('m1', changed, subMarket('s2'))] }));
    expect(versionDifferences(item(), later)).to.deep.equal([
      {
        field: 'markets.m1.sub_markets.s1.market_snapshot.yes_ask',
        before: sub.market_snapshot.yes_ask,
        after: 0.99,
      },
    ]);
  });

  it('are one for a market or a sub-market that only one version has', () => {
    const without = item(() => subs('s1'));
    const field = 'markets.m1.sub_markets.s2';
    expect(versionDifferences(item(), without)).to.deep.equal([{ field, before: 'present', after: null }]);
    expect(versionDifferences(without, item())).to.deep.equal([{ field, before: null, after: 'present' }]);
    const none = item(() => ({ related_markets: [] }));
    expect(versionDifferences(none, item())[0]).to.deep.equal({
      field: 'markets.m1',
      before: null,
      after: 'present',
    });
  });
});
