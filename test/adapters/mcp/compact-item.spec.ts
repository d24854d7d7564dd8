import { expect } from 'chai';
import fc from 'fast-check';
import {
  bytesOf,
  COMPACT_BYTES_MAX,
  compactItem,
  shortened,
} from '../../../src/adapters/mcp/compact-item.js';
import type { FeedItem } from '../../../src/domain/feed/feed-item.js';
import { market, publication, subMarket } from '../../support/objects/builders.js';

type Sub = ReturnType<typeof subMarket>;

const itemOf = (subs: readonly Sub[], id = 'ne_1', headline = 'Talks resume'): FeedItem => {
  const endpoint_published_at = '2026-03-01T11:00:00.000000Z';
  const { news_event, ...rest } = publication({
    id,
    endpoint_published_at,
    related_markets: [market('m1', ...subs)],
  });
  return { ...rest, news_event: { ...news_event, headline } } as unknown as FeedItem;
};
const withRationale = (sub: Sub, rationale: string): Sub => ({
  ...sub,
  news_effect: { ...sub.news_effect, rationale },
});

describe('An item as an agent reads it', () => {
  it('has headline, time, source, and of each market the ask, the effect and the reason', () => {
    expect(compactItem(itemOf([subMarket('s1')]), [])).to.deep.equal({
      news_id: 'ne_1',
      headline: 'Talks resume',
      endpoint_published_at: '2026-03-01T11:00:00.000000Z',
      source_name: 'The Wire',
      source_news_url: 'https://news.example/ne_1',
      markets: [
        {
          market_id: 's1',
          market_title: 'Will s1 happen?',
          yes_ask: 0.61,
          affected_outcome: 'YES',
          effect: 'supports',
          rationale: 'It brings it closer.',
        },
      ],
      more_markets: 0,
    });
  });

  it('has those markets first that match the most words, and says how many are left out', () => {
    const subs = Array.from({ length: 30 }, (_, n) => subMarket(`s${n}`));
    const { markets, more_markets } = compactItem(itemOf(subs), ['s17', 'none']);
    expect(markets.map(({ market_id }) => market_id).slice(0, 3)).to.deep.equal(['s17', 's0', 's1']);
    expect(markets.length + more_markets).to.equal(30);
  });

  it('has a shorter reason rather than one market less', () => {
    const long = 'x'.repeat(2_000);
    const subs = [1, 2, 3].map((n) => withRationale(subMarket(`s${n}`), long));
    const { markets } = compactItem(itemOf(subs, 'ne_1', 'x'.repeat(200)), []);
    expect(markets.map(({ rationale }) => rationale.length)).to.deep.equal([320, 160]);
  });

  it('has its first market, and a shorter headline, where both are long', () => {
    const sub = { ...withRationale(subMarket('s1'), 'ก'.repeat(500)), sub_market_title: 'ก'.repeat(120) };
    const { headline, markets } = compactItem(itemOf([sub], 'ne_1', 'ก'.repeat(200)), []);
    expect(markets).to.have.length(1);
    expect(headline.length).to.be.within(50, 100);
  });

  it('has no address that is long', () => {
    const item = itemOf([]);
    const urlOf = (url: string) =>
      compactItem({ ...item, news_event: { ...item.news_event, source_news_url: url } }, []).source_news_url;
    expect([200, 300].map((length) => urlOf('x'.repeat(length))?.length)).to.deep.equal([200, undefined]);
  });

  it('has at most 1,200 bytes, about 300 tokens, whatever the texts are', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 500 });
    const id = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
      fc.constant('漢'.repeat(256)),
      fc.constant('"'.repeat(256)),
    );
    fc.assert(
      fc.property(
        id,
        text,
        text,
        fc.array(fc.tuple(id, text), { maxLength: 20 }),
        (newsId, headline, source, all) => {
          const subs = all.map(([name, rationale]) => withRationale(subMarket(name), rationale));
          const item = itemOf(subs, newsId, headline.repeat(3));
          const sources = { source_name: source, source_news_url: `https://${source}` };
          const compact = compactItem({ ...item, news_event: { ...item.news_event, ...sources } }, [
            'happen',
          ]);
          expect(bytesOf(compact)).to.be.at.most(COMPACT_BYTES_MAX);
          expect(compact.markets.length + compact.more_markets).to.equal(subs.length);
        },
      ),
    );
  });
});

describe('A text that is shortened', () => {
  it('says that it was, and cuts no character', () => {
    expect(shortened('abcd', 4)).to.equal('abcd');
    expect(shortened('abcde', 4)).to.equal('abc…');
    expect(shortened('ab🎈🎈', 4)).to.equal('ab…');
  });
});
