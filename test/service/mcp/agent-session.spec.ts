import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { Agent } from '../../support/mcp/agents.js';
import { market, moment, publication, subMarket } from '../../support/objects/builders.js';
import { sampleFeed } from '../../support/sample/sample-feed.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

const QUESTION = 'What moved the odds of the Halvex Strait reopening before midsummer today, and why?';
const STRAIT = 'sm-halvex-strait-midsummer';

/** An item about the strait, with long texts as sources have them. */
function aboutTheStrait(id: string, headline: string, yes_ask: number, rationale: string) {
  const sub = subMarket(STRAIT);
  const { news_event, ...rest } = publication({
    id,
    related_markets: [
      market('mm-halvex-strait', {
        ...sub,
        sub_market_title: 'Will the Halvex Strait reopen to freight before midsummer?',
        market_snapshot: { ...sub.market_snapshot, yes_ask },
        news_effect: { ...sub.news_effect, rationale },
      }),
    ],
  });
  return { ...rest, news_event: { ...news_event, headline, long_context: `${headline}. `.repeat(60) } };
}

const ITEMS = [
  aboutTheStrait(
    'ne_boarding',
    'Coast guard boards a freighter in the Halvex Strait',
    0.31,
    'It delays the talks.',
  ),
  aboutTheStrait(
    'ne_talks',
    'Both governments confirm talks about the strait',
    0.38,
    'Talks are the first step.',
  ),
  aboutTheStrait(
    'ne_signed',
    'Both governments agree to reopen the Halvex Strait',
    0.44,
    'The text is initialled.',
  ),
];

describe('An agent that has only the tools', () => {
  let service: Service;
  let agent: Agent;
  before(async () => {
    service = await startService();
    const client = await Client.of(service);
    await publishAll(client, [...sampleFeed(150, moment('2026-02-01T00:00:00Z')), ...ITEMS]);
    agent = await Agent.overHttp(service.instances[0]?.url ?? '', (await aKey(client)).key);
    // The directory follows the feed within a second (D65).
    const isListed = async () =>
      (await agent.client.callTool({ name: 'find_markets', arguments: { ref: STRAIT } })).isError !== true;
    while (!(await isListed())) await setTimeout(50);
  });
  after(async () => {
    await agent.close();
    await service.stop();
  });

  it('learns what moved the odds of a market today, and why, in at most 4,000 tokens of about four characters', async () => {
    const answers: string[] = [];
    const call = async (name: string, args: Record<string, unknown>) => {
      const result = await agent.call(name, args);
      answers.push(JSON.stringify(result));
      return result;
    };
    const { markets } = await call('find_markets', { q: QUESTION, kind: 'sub', limit: 5 });
    expect(markets[0]?.market_id).to.equal(STRAIT);
    const { items: found, query_words } = await call('search_news', { q: QUESTION, limit: 5 });
    expect(query_words).to.include('halvex');
    expect(found[0]?.news_id).to.equal('ne_signed');
    const { items } = await call('news_for_market', { market_id: STRAIT, limit: 5 });
    const shown = items.map(({ news_id, markets: [of] }) => [news_id, of?.yes_ask, of?.rationale]);
    expect(shown).to.deep.equal([
      ['ne_signed', 0.44, 'The text is initialled.'],
      ['ne_talks', 0.38, 'Talks are the first step.'],
      ['ne_boarding', 0.31, 'It delays the talks.'],
    ]);
    await call('get_news', { news_id: 'ne_signed' });
    const characters = answers.reduce((sum, answer) => sum + answer.length, 0);
    expect(characters / 4).to.be.at.most(4_000);
  });
});
