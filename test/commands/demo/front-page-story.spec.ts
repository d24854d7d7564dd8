import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import {
  EXAMPLE_PUBLICATION,
  EXAMPLE_TIME,
} from '../../../src/adapters/http/openapi/examples/example-item.js';
import { StoryFeed } from '../../../src/commands/demo/stories/story-feed.js';

const project = resolve(import.meta.dirname, '../../../..');

describe('The story of the front page and of all examples', () => {
  const newest = new StoryFeed().backlog(EXAMPLE_TIME).at(-1);

  it('is the newest story when a demo starts, with one of its sub-markets', () => {
    const markets = newest?.related_markets ?? [];
    const oneMarket = markets.map((market) => ({ ...market, sub_markets: market.sub_markets.slice(0, 1) }));
    expect({ ...newest, related_markets: oneMarket.slice(0, 1) }).to.deep.equal(EXAMPLE_PUBLICATION);
    const inAllLanguages = new StoryFeed({ otherLanguages: true }).backlog(EXAMPLE_TIME).at(-1);
    expect(inAllLanguages?.news_event.id).to.equal(EXAMPLE_PUBLICATION.news_event.id);
  });

  it('has an effect in each direction, with a price and a rationale', () => {
    const subs = newest?.related_markets.flatMap(({ sub_markets }) => sub_markets) ?? [];
    expect(new Set(subs.map(({ news_effect }) => news_effect.effect))).to.deep.equal(
      new Set(['supports', 'weakens', 'neutral']),
    );
    for (const { news_effect, market_snapshot } of subs) {
      expect(news_effect.rationale.length).to.be.above(80);
      expect(market_snapshot.yes_ask).to.be.within(0.05, 0.95);
    }
  });

  it('is the story that README.md shows', () => {
    const readme = readFileSync(resolve(project, 'README.md'), 'utf8');
    const { news_event, related_markets } = EXAMPLE_PUBLICATION;
    const sub = related_markets[0]?.sub_markets[0];
    const [rationale = ''] = sub?.news_effect.rationale.split('. ') ?? [];
    for (const shown of [news_event.id, news_event.headline, sub?.sub_market_id ?? '?', rationale])
      expect(readme).to.include(shown);
    expect(readme).to.include(`"yes_ask":${sub?.market_snapshot.yes_ask}`);
  });
});
