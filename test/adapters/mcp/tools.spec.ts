import { expect } from 'chai';
import type { ApiAnswer, CallApi } from '../../../src/adapters/mcp/api.js';
import { allTools, INSTRUCTIONS } from '../../../src/adapters/mcp/tools.js';
import { publication } from '../../support/objects/builders.js';

const NEWS = '/pm/v2/news';
const MARKETS = '/pm/v2/markets';
const LONG = 'what moved the odds of the strait today';

const item = (id: string, headline: string) => {
  const made = publication({ id });
  return { ...made, news_event: { ...made.news_event, headline } };
};
const answered = (json: object, status = 200): ApiAnswer => ({
  status,
  json,
  feedPosition: 'p9',
  retryAfterSeconds: null,
});
const page = (...items: readonly object[]) => answered({ items, next_cursor: null });
const markets = (titles: readonly string[], unknown: readonly string[] = []) =>
  answered({
    markets: titles.map((market_title) => ({
      market_id: 's1',
      kind: 'sub',
      main_market_id: 'm1',
      market_url: `https://markets.example/${'x'.repeat(market_title.length)}`,
      market_title,
      news_count: 2,
      last_news_at: '2026-03-01T11:00:00.000000Z',
      last_snapshot: { yes_ask: 0.4 },
      outcomes: {},
    })),
    next_cursor: 'c1',
    unknown,
  });

/** Calls a tool, whose requests get these answers one after the other. */
async function called(name: string, args: object, ...answers: readonly ApiAnswer[]) {
  const requests: string[] = [];
  const callApi: CallApi = async (path, query) => {
    requests.push(`${path}?${decodeURIComponent(query)}`);
    return answers[requests.length - 1] ?? expect.fail(`one request too many: ${requests.at(-1)}`);
  };
  const outcome = await allTools()
    .find((tool) => tool.name === name)
    ?.run(callApi, args);
  return {
    requests,
    ...(outcome as { readonly result?: object; readonly error?: { readonly code: string } }),
  };
}

describe('The list of tools', () => {
  it('has at most 4,000 tokens of about four characters', () => {
    const listed = allTools().map(({ run: _, ...tool }) => tool);
    expect(JSON.stringify(listed).length / 4).to.be.at.most(4_000);
    expect(INSTRUCTIONS.length / 4).to.be.at.most(400);
  });
});

describe('A search of an agent', () => {
  it('sends up to four words as they are, and names them', async () => {
    const { requests, result } = await called('search_news', { q: 'Strait, FREIGHT' }, page(item('a', 'x')));
    expect(requests).to.deep.equal([`${NEWS}?q=Strait,+FREIGHT&limit=10`]);
    expect(result).to.deep.include({
      query_words: ['strait', 'freight'],
      next_cursor: null,
      feed_position: 'p9',
    });
  });

  it('takes of a whole question the words that count in the newest items which the other arguments pass, and names them (D119)', async () => {
    const sample = page(item('a', 'Strait reopens'), item('b', 'Odds of the cup'));
    const args = { q: LONG, category: 'economy', cursor: 'c', limit: 3 };
    const { requests, result } = await called('search_news', args, sample, page());
    expect(requests).to.deep.equal([
      `${NEWS}?category=economy&limit=100`,
      `${NEWS}?q=strait&category=economy&cursor=c&limit=3`,
    ]);
    expect(result).to.deep.include({ items: [], query_words: ['strait'] });
  });

  it('compares the words of a question with items before `until`, on each page', async () => {
    const args = { q: LONG, until: '2026-01-31' };
    const sample = page(item('a', 'Strait reopens'));
    const compared = `${NEWS}?limit=100&cursor=2026-01-31`;
    const first = await called('search_news', args, sample, page());
    expect(first.requests).to.deep.equal([compared, `${NEWS}?q=strait&cursor=2026-01-31&limit=10`]);
    const next = await called('search_news', { ...args, cursor: '2026-01-30' }, sample, page());
    expect(next.requests).to.deep.equal([compared, `${NEWS}?q=strait&cursor=2026-01-30&limit=10`]);
  });

  it('is refused as its first request is', async () => {
    const refused = answered({ code: 'rate_limited', detail: '' }, 429);
    const { requests, error } = await called('search_news', { q: LONG }, refused);
    expect([requests.length, error?.code]).to.deep.equal([1, 'rate_limited']);
  });

  it('begins before `until`, and continues at the cursor', async () => {
    const times = { since: '2026-01-30', until: '2026-01-31' };
    const first = await called('search_news', times, page());
    expect(first.requests).to.deep.equal([`${NEWS}?since=2026-01-30&cursor=2026-01-31&limit=10`]);
    const next = await called('search_news', { ...times, cursor: '2026-01-30T12' }, page());
    expect(next.requests).to.deep.equal([`${NEWS}?since=2026-01-30&cursor=2026-01-30T12&limit=10`]);
  });

  it('names `until` in its error', async () => {
    const errors = [{ parameter: 'cursor', code: 'invalid_moment', message: 'm' }];
    const refused = answered({ code: 'invalid_parameter', detail: '', errors }, 400);
    const { error } = await called('search_news', { until: 'x' }, refused);
    expect(error).to.have.nested.property('errors[0].parameter', 'until');
    const own = await called('search_news', { cursor: 'x' }, refused);
    expect(own.error).to.have.nested.property('errors[0].parameter', 'cursor');
  });
});

describe('The markets that an agent finds', () => {
  it('have their ids, titles, times and last asks', async () => {
    const args = { q: 'strait', venue: 'a.example', kind: 'sub', main_market_id: 'm1', limit: 2 };
    const { requests, result } = await called('find_markets', args, markets(['Strait?', 'x'.repeat(200)]));
    expect(requests).to.deep.equal([
      `${MARKETS}?q=strait&venue=a.example&kind=sub&main_market_id=m1&limit=2`,
    ]);
    expect(result).to.deep.include({ next_cursor: 'c1', query_words: ['strait'] });
    const market = {
      market_id: 's1',
      kind: 'sub',
      main_market_id: 'm1',
      market_title: 'Strait?',
      market_url: 'https://markets.example/xxxxxxx',
      last_yes_ask: 0.4,
      last_news_at: '2026-03-01T11:00:00.000000Z',
      news_count: 2,
    };
    expect(result).to.have.deep.nested.property('markets[0]', market);
    expect(result).to.have.deep.nested.property('markets[1]', {
      ...market,
      market_title: `${'x'.repeat(119)}…`,
      market_url: null,
    });
  });

  it('are searched by the words of a question that their titles have (D119)', async () => {
    const sample = markets(['Will the strait reopen?', 'Cup?']);
    const { requests, result } = await called('find_markets', { q: LONG }, sample, markets([]));
    expect(requests).to.deep.equal([`${MARKETS}?limit=100`, `${MARKETS}?q=strait&limit=10`]);
    expect(result).to.deep.include({ query_words: ['strait'] });
  });

  it('are an error that says what to do if no item has the market of a reference', async () => {
    const { error } = await called('find_markets', { ref: 'x' }, markets([], ['x']));
    expect(error).to.include({ code: 'market_not_found' });
    expect(error).to.have.property('what_to_do').that.includes('`find_markets`');
  });
});

describe('A market that no item of the feed has', () => {
  for (const name of ['news_for_market', 'watch_market']) {
    it(`is an error of ${name} that says what to do`, async () => {
      const { error } = await called(name, { market_id: 'x' }, page());
      expect(error).to.include({ code: 'market_not_found' });
      expect(error).to.have.property('what_to_do').that.includes('`find_markets`');
    });
  }

  it('is none on a later page, which is empty if there are no more items', async () => {
    const { result } = await called('news_for_market', { market_id: 's1', cursor: 'c' }, page());
    expect(result).to.deep.include({ items: [] });
  });
});
