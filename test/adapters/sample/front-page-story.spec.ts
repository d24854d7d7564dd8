import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { FRONT_PAGE_STORY, frontPageItem } from '../../../src/adapters/sample/front-page-story.js';
import { StoryFeed } from '../../../src/adapters/sample/story-feed/story-feed.js';
import { NOON } from '../../support/objects/builders.js';

const project = resolve(import.meta.dirname, '../../../..');

describe('The story of the front page', () => {
  const item = frontPageItem(NOON);

  it('is the newest story when a demo starts', () => {
    for (const otherLanguages of [false, true]) {
      const newest = new StoryFeed({ otherLanguages }).backlog(NOON).at(-1);
      expect(newest?.news_event.id).to.equal(FRONT_PAGE_STORY.id);
    }
  });

  it('has an effect in each direction, with a price and a rationale', () => {
    const subs = item.related_markets.flatMap(({ sub_markets }) => sub_markets);
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
    const sub = item.related_markets[0]?.sub_markets[0];
    const [rationale = ''] = FRONT_PAGE_STORY.markets[0]?.effects[0]?.because ?? [];
    for (const shown of [item.news_event.id, item.news_event.headline, sub?.sub_market_id ?? '?', rationale])
      expect(readme).to.include(shown);
    expect(readme).to.include(`"yes_ask":${sub?.market_snapshot.yes_ask}`);
  });
});
