import { expect } from 'chai';
import { accepted, market, publication, subMarket } from '../../../support/objects/builders.js';
import { composed, keyHolder, requestNews } from '../../../support/service/composed.js';
import { type PageAnswer, signedInHolder, visitorOf } from '../../../support/service/visitor.js';

describe('The feed page', () => {
  const { service, holder, visitor } = signedInHolder();

  it('shows the items, filters by market, and offers a working curl command', async () => {
    const evil = publication({ id: 'ne_evil', related_markets: [market('m-evil', subMarket('s-evil'))] });
    const items = [
      ...Array.from({ length: 12 }, (_, i) =>
        publication({
          id: `ne_${i}`,
          scored_at: `2026-03-01T10:00:${String(i).padStart(2, '0')}Z`,
          related_markets: [market(`m${i}`, subMarket(`s${i}`), subMarket(`t${i}`))],
        }),
      ),
      {
        ...evil,
        scored_at: '2026-03-01T10:01:00Z',
        news_event: {
          ...evil.news_event,
          headline: '<script>alert(1)</script>',
          source_news_url: 'javascript:alert(1)',
        },
      },
    ];
    for (const answer of await service().parts.publishNews(items, 'live')) accepted(answer);
    const page = await visitor().open('/dashboard/feed');
    expect(page.text).to.include('<script>alert(1)</script>').and.include('Will s11 happen?');
    expect(page.html).not.to.include('<script>alert').and.not.include('javascript:');
    expect(page.text)
      .to.include('61.0¢')
      .and.include('+2.5 pp before the news')
      .and.include('Momentum criteria met: ')
      .and.include('It brings it closer.');
    expect(page.text)
      .to.match(/Tier 1 ?The Wire/)
      .and.not.include('Will s2 happen?');
    const [older = ''] = page.html.match(/\/dashboard\/feed\?cursor=[^"]+/) ?? [];
    expect((await visitor().open(older)).text)
      .to.include('Will s2 happen?')
      .and.not.include('Older items');

    const one = await visitor().open('/dashboard/feed?market=s5');
    expect(one.text).to.include('Will s5 happen?').and.not.include('Will t5 happen?');
    const [, query = ''] = /\/pm\/v2\/news(\?[^']*)'/.exec(one.text) ?? [];
    const answer = await requestNews(service(), holder().value, {}, query);
    expect(answer.json<{ items: readonly object[] }>().items).to.have.length(1);
    expect((await visitor().open('/dashboard/feed?market=none')).text)
      .to.include('No items match these filters.')
      .and.include('If none is no market of the feed, find it among the markets');
  });

  it('states an invalid cursor as a message about the address, and marks no field as invalid', async () => {
    const { text, html } = await visitor().open('/dashboard/feed?cursor=yesterday');
    expect(text).to.include('The cursor in the address is not valid.').and.include('Will s11 happen?');
    expect(html)
      .to.match(/<div class="notice warning" role="status"><p>The cursor in the address/)
      .and.not.include('aria-invalid');
  });

  it('stays small whatever a publisher sends, and omits no item', async () => {
    const own = await composed();
    const long = 'x'.repeat(5_000);
    const items = Array.from({ length: 12 }, (_, i) => {
      const large = publication({
        id: `ne_large_${i}`,
        scored_at: `2026-03-01T10:00:${String(i).padStart(2, '0')}Z`,
        related_markets: Array.from({ length: 9 }, (__, m) =>
          market(`m${i}-${m}`, ...Array.from({ length: 30 }, (___, s) => subMarket(`s${i}-${m}-${s}`))),
        ),
      });
      return { ...large, news_event: { ...large.news_event, headline: `${i} ${long}`, short_context: long } };
    });
    for (const answer of await own.parts.publishNews(items, 'live')) accepted(answer);
    const person = await visitorOf(own, (await keyHolder(own)).account);
    const seen: string[] = [];
    for (let path: string | undefined = '/dashboard/feed'; path !== undefined; ) {
      const page: PageAnswer = await person.open(path);
      expect(page.body.length).to.be.lessThan(100_000);
      expect(page.text).to.include('20 more sub-markets').and.include('4 more markets');
      seen.push(...[...page.html.matchAll(/news\.example\/ne_large_(\d+)"/g)].map(([, i = '']) => i));
      path = /\/dashboard\/feed\?cursor=[^"]+/.exec(page.html)?.[0];
    }
    await own.stop();
    expect(seen).to.deep.equal(items.map((_, i) => String(i)).toReversed());
  });
});
