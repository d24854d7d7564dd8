import { expect } from 'chai';
import { accepted, market, publication, subMarket } from '../../../support/objects/builders.js';
import { requestNews } from '../../../support/service/composed.js';
import { signedInHolder } from '../../../support/service/visitor.js';

describe('The filters of the feed page', () => {
  const { service, holder, visitor } = signedInHolder();
  before(async () => {
    const items = [
      { id: 'ne_rates', headline: 'Bank raises rates', categories: ['economy'], tier: 't1' },
      { id: 'ne_vote', headline: 'Parliament will vote', categories: ['politics'], tier: 't2' },
    ].map(({ id, headline, categories, tier }) => {
      const base = publication({ id, related_markets: [market(`m-${id}`, subMarket(`s-${id}`))] });
      const event = { ...base.news_event, headline, feed_categories: categories, source_tier: tier };
      return { ...base, news_event: event };
    });
    for (const answer of await service().parts.publishNews(items, 'live')) accepted(answer);
  });
  const headlines = async (query: string) => {
    const { text } = await visitor().open(`/dashboard/feed?${query}`);
    return ['Bank raises rates', 'Parliament will vote'].map((headline) => text.includes(headline));
  };

  it('have the names and the meaning of those of the API', async () => {
    for (const [query, rates, vote] of [
      ['', true, true],
      ['q=rates', true, false],
      ['category=politics', false, true],
      ['category=politics&category=economy', true, true],
      ['category=politics,economy&source_tier=t1', true, false],
      ['market=s-ne_vote', false, true],
      ['market_id=s-ne_vote', false, true],
      ['news_id=ne_rates', true, false],
      ['q=&category=&source_tier=&relevance=&effect=', true, true],
      ['q=rates&category=politics', false, false],
    ] as const)
      expect(await headlines(query), query).to.deep.equal([rates, vote]);
  });

  it('can be taken away one by one, and become a destination', async () => {
    const { html, text } = await visitor().open('/dashboard/feed?q=rates&category=economy&source=the-wire');
    expect(text).to.include('q: rates').and.include('category: economy');
    expect(html)
      .to.include('href="/dashboard/feed?source=the-wire&amp;category=economy"')
      .and.include('name="source" value="the-wire"')
      .and.include(`filter=${encodeURIComponent('q=rates&source=the-wire&category=economy')}#new`);
  });

  it('that are not valid are named, and nothing is shown', async () => {
    const page = await visitor().open('/dashboard/feed?q=one+two+three+four+five&source_tier=,');
    expect(page.status).to.equal(400);
    expect(page.text)
      .to.include('The filter “q” must have 1 to 4 different words')
      .and.include('The filter “source_tier”')
      .and.not.include('Bank raises rates');
    expect(page.html).to.include('value="one two three four five"');
  });

  it('are in programs in three languages, of which the curl command returns the same items', async () => {
    const { html, text } = await visitor().open('/dashboard/feed?category=economy,politics&q=rates');
    expect(html).to.include('id="feed-TypeScript"').and.include('id="feed-Python"');
    const [, query = ''] = /\/pm\/v2\/news(\?[^']*)'/.exec(text) ?? [];
    const answer = await requestNews(service(), holder().value, {}, query);
    expect(answer.json<{ items: readonly object[] }>().items).to.have.length(1);
  });

  it('never show an API key (D19)', async () => {
    const { value } = holder();
    const page = await visitor().open(`/dashboard/feed?q=${value}&market=${value}&source=a-${value}`);
    expect([page.status, page.html.includes(value)]).to.deep.equal([200, false]);
  });
});
