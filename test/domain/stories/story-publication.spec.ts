import { expect } from 'chai';
import { HOUR, plus } from '../../../src/domain/moment.js';
import { StoryPrices } from '../../../src/domain/stories/story-prices.js';
import { storyPublication } from '../../../src/domain/stories/story-publication.js';
import { NOON } from '../../support/objects/builders.js';
import { aStory } from '../../support/objects/stories.js';

describe('The publication of a story', () => {
  const publish = () => storyPublication(aStory('ne_a', 5), new StoryPrices(), NOON, plus(NOON, -HOUR));

  it('is the same each time, for the same prices and times', () => {
    expect(publish()).to.deep.equal(publish());
  });

  it('has its times in their order', () => {
    const { news_event, scored_at } = publish();
    const { source_published_at, endpoint_published_at = '' } = news_event;
    expect(source_published_at > plus(NOON, -HOUR)).to.equal(true);
    expect(source_published_at < endpoint_published_at).to.equal(true);
    expect(endpoint_published_at < NOON).to.equal(true);
    expect(scored_at).to.equal(NOON);
  });
});
