import { expect } from 'chai';
import { stepInRound } from '../../../src/domain/stories/story-rounds.js';
import { aStory } from '../../support/objects/stories.js';

describe('A step in a later round', () => {
  it('has ids and markets of its own, with the prices of the first round', () => {
    const { kind, story } = stepInRound({ kind: 'publish', story: aStory('ne_a', 5) }, 3);
    const market = story.markets[0]?.market;
    expect(kind).to.equal('publish');
    expect(story.id).to.equal('ne_a-round-3');
    expect(story.headline).to.match(/\(round 3\)$/);
    expect(market).to.include({ slug: 'rain-round-3', firstSlug: 'rain' });
  });
});
