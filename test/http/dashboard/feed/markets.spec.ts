import { expect } from 'chai';
import { applyToSubscription } from '../../../../src/domain/billing/account-subscription.js';
import { accepted, auditContext, market, publication, subMarket } from '../../../support/objects/builders.js';
import {
  type Composed,
  composed,
  keyHolder,
  requestNews,
  rewrite,
  START,
} from '../../../support/service/composed.js';
import { type Visitor, visitorOf } from '../../../support/service/visitor.js';
import { until } from '../../../support/until.js';

const MARKETS = '/dashboard/markets';
const SUGGESTIONS = '/dashboard/market-suggestions';

const priced = (id: string, title: string, yes_ask: number) => {
  const sub = subMarket(id);
  return { ...sub, sub_market_title: title, market_snapshot: { ...sub.market_snapshot, yes_ask } };
};

const item = (n: number, ...subs: readonly ReturnType<typeof priced>[]) => {
  const at = `2026-03-01T10:${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}Z`;
  const made = publication({ id: `ne_${n}`, scored_at: at, related_markets: [market('fed/2026', ...subs)] });
  return { ...made, news_event: { ...made.news_event, headline: `Headline ${n}.` } };
};

describe('The pages of markets', () => {
  let service: Composed;
  let visitor: Visitor;
  before(async () => {
    service = await composed({ RATE_LIMIT_FREE_MINUTE: '4', RATE_LIMIT_FREE_DAY: '6' });
    const items = [
      item(0, priced('cut', 'Will the Fed cut rates?', 0.38)),
      item(
        1,
        priced('cut', 'Will the Fed cut rates?', 0.64),
        priced('hike', 'Will the Fed hike rates?', 0.02),
      ),
      ...Array.from({ length: 60 }, (_, i) =>
        item(i + 2, priced('long', 'Will a long <b>story</b> end?', 0.5)),
      ),
    ];
    for (const answer of await service.parts.publishNews(items, 'live')) accepted(answer);
    visitor = await visitorOf(service, (await keyHolder(service)).account);
    await until(true, async () => (await visitor.open(MARKETS)).text.includes('hike rates?'));
  });
  after(() => service.stop());

  it('lists markets, and finds them by words, a whole question, an id and a link', async () => {
    expect((await visitor.open(MARKETS)).text)
      .to.include('Will the Fed cut rates?')
      .and.include('The market fed/2026')
      .and.include('64.0¢');
    for (const text of ['fed CUT', 'cut', 'https://markets.example/cut']) {
      const found = await visitor.open(`${MARKETS}?${new URLSearchParams({ q: text })}`);
      expect(found.text, text).to.include('Will the Fed cut rates?').and.not.include('hike');
    }
    const question = 'Will the Fed cut its rates after all?';
    expect((await visitor.open(`${MARKETS}?${new URLSearchParams({ q: question })}`)).text).to.include(
      'cut rates?',
    );
    for (const text of ['nothing', '???', 'https://markets.example/none'])
      expect((await visitor.open(`${MARKETS}?${new URLSearchParams({ q: text })}`)).text, text).to.include(
        'No market of the feed matches.',
      );
  });

  it('lists sub-markets below their main market, with the age of the newest item', async () => {
    const { html, text } = await visitor.open(MARKETS);
    const [, group = ''] = /<tbody>(<tr><th scope="rowgroup">.*?)<\/tbody>/.exec(html) ?? [];
    expect(group)
      .to.match(/^<tr><th scope="rowgroup"><a href="[^"]+kind=main">The market fed\/2026/)
      .and.include('<th scope="row"><a href="/dashboard/markets/cut">')
      .and.match(/<time dateTime="[^"]+" title="1 March 2026, 10:01:\d\d UTC">\d+ \w+ ago/i);
    expect(text).to.include('ago');
    const alone = await visitor.open(`${MARKETS}?q=cut`);
    expect(alone.html).to.include('<tbody><tr><th scope="row">').and.not.include('rowgroup');
  });

  it('shows the price at each item of a sub-market, its news, and programs that follow it', async () => {
    const page = await visitor.open(`${MARKETS}/cut`);
    expect(page.text)
      .to.include('Headline 0.')
      .and.include('Headline 1.')
      .and.include('Over the items below +26.0 percentage points')
      .and.include('Sub-market of The market fed/2026')
      .and.include('supports Yes');
    expect(page.text).not.to.include('Headline 2.');
    expect(page.html)
      .to.include('aria-label="Yes ask at 2 items: from 38.0¢ to 64.0¢"')
      .and.match(/<path d="M60 126H1066V14"/)
      .and.include('href="#item-2"')
      .and.match(/id="item-2"[^>]*data-item="ne_1"/);
    const oldest = await visitor.open(`${MARKETS}/cut?order=oldest`);
    expect(oldest.text.indexOf('Headline 0.')).to.be.lessThan(oldest.text.indexOf('Headline 1.'));
    expect(page.text.indexOf('Headline 0.')).to.be.greaterThan(page.text.indexOf('Headline 1.'));
    expect(page.text)
      .to.include("/pm/v2/stream?market_id=cut'")
      .and.include('oddswire.follow({ market_id: "cut" })')
      .and.include('urllib.request.Request("http');
  });

  it('continues with older news, and escapes what a publisher sends', async () => {
    const page = await visitor.open(`${MARKETS}/long`);
    expect(page.html).to.include('Will a long &lt;b>story').and.not.include('<b>story');
    expect(page.text).to.include('Headline 61.').and.not.include('Headline 41.');
    const [, older = ''] = /href="(\/dashboard\/markets\/long\?cursor=[^"]+)"/.exec(page.html) ?? [];
    const next = await visitor.open(older.replaceAll('&amp;', '&'));
    expect(next.text).to.include('Headline 41.').and.include('Headline 22.').and.not.include('Headline 21.');
  });

  it('shows the sub-markets of a main market, whose id may have any characters', async () => {
    const page = await visitor.open(`${MARKETS}/fed%2F2026?kind=main`);
    expect(page.text).to.include('Main market').and.include('hike rates?').and.include('cut rates?');
    expect((await visitor.open(`${MARKETS}/cut`)).html).to.include(
      'href="/dashboard/markets/fed%2F2026?kind=main"',
    );
  });

  it('continues after the first page of the markets that one link means', async () => {
    const one = 'https://markets.example/many-at-one-address';
    const subs = Array.from({ length: 60 }, (_, i) => ({
      ...priced(`at-one-${i}`, `Candidate ${i}?`, 0.5),
      market_url: one,
    }));
    const made = publication({ id: 'ne_one_address', related_markets: [market('at-one', ...subs)] });
    for (const answer of await service.parts.publishNews([made], 'live')) accepted(answer);
    const path = `${MARKETS}?${new URLSearchParams({ q: one })}`;
    await until(true, async () => (await visitor.open(path)).text.includes('Candidate'));
    const first = await visitor.open(path);
    const [, older = ''] = /href="(\/dashboard\/markets\?q=[^"]+cursor=[^"]+)"/.exec(first.html) ?? [];
    const second = await visitor.open(older.replaceAll('&amp;', '&'));
    const shown = [first, second].flatMap(({ text }) => text.match(/Candidate \d+\?/g) ?? []);
    expect(new Set(shown)).to.have.length(60);
  });

  it('says that a main market has more sub-markets than the page shows', async () => {
    const subs = Array.from({ length: 51 }, (_, i) => priced(`many-${i}`, `Question ${i}?`, 0.5));
    const made = publication({ id: 'ne_many', related_markets: [market('many', ...subs)] });
    for (const answer of await service.parts.publishNews([made], 'live')) accepted(answer);
    await until(true, async () => (await visitor.open(`${MARKETS}/many?kind=main`)).status === 200);
    expect((await visitor.open(`${MARKETS}/many?kind=main`)).text).to.include('There are more sub-markets.');
    expect((await visitor.open(`${MARKETS}/fed%2F2026?kind=main`)).text).not.to.include('There are more');
  });

  it('answers 404 for a market that no item has', async () => {
    expect((await visitor.open(`${MARKETS}/none`)).status).to.equal(404);
    expect((await visitor.open(`${MARKETS}/cut?kind=main`)).status).to.equal(404);
  });

  it('suggests sub-markets for the beginning of a word', async () => {
    const suggested = async (q: string) =>
      JSON.parse(
        (await visitor.open(`${SUGGESTIONS}?${new URLSearchParams({ q })}`)).body.toString(),
      ) as unknown;
    expect(await suggested('fed cu')).to.deep.equal([
      { title: 'Will the Fed cut rates?', path: '/dashboard/markets/cut' },
    ]);
    expect(await suggested('ra')).to.have.length(2);
    for (const text of ['', 'r', 'fed xy']) expect(await suggested(text), text).to.deep.equal([]);
  });

  it('takes one permit for each page, and none for suggestions', async () => {
    const { account, value } = await keyHolder(service, 'free');
    const own = await visitorOf(service, account);
    for (let i = 0; i < 9; i += 1) await own.open(`${SUGGESTIONS}?q=fed`);
    await own.open(MARKETS);
    await own.open(`${MARKETS}/cut`);
    expect((await requestNews(service, value)).headers['ratelimit']).to.include('"minute";r=1;');
    expect((await own.open(MARKETS)).status).to.equal(200);
    const refused = await own.open(`${MARKETS}/cut`);
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([429, '50']);
    expect(refused.html).to.include('href="/dashboard/markets/cut"');
  });

  it('answers 402 with no market while the subscription is not served', async () => {
    const { account } = await keyHolder(service);
    const own = await visitorOf(service, account);
    await rewrite(service, account, (now) => applyToSubscription(now, 'held', auditContext(START)).next);
    for (const path of [MARKETS, `${MARKETS}/cut`]) {
      const page = await own.open(path);
      expect([page.status, page.html.includes('Fed')]).to.deep.equal([402, false]);
    }
    expect((await own.open(`${SUGGESTIONS}?q=fed`)).body.toString()).to.equal('[]');
  });
});
