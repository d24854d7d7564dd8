import { expect } from 'chai';
import { StoryPrices } from '../../../src/domain/stories/story-prices.js';
import { aStory } from '../../support/objects/stories.js';

describe('The prices of the stories', () => {
  it('move after a story, and back when it is retracted', () => {
    const prices = new StoryPrices();
    const [first] = prices.publish(aStory('ne_a', 20));
    const [second] = prices.publish(aStory('ne_b', 0));
    expect(first?.cents).to.be.within(50, 54);
    expect(second?.cents).to.be.within(69, 71);
    prices.retract('ne_a');
    const [third] = prices.publish(aStory('ne_c', 0));
    expect(third?.cents).to.be.within(49, 51);
  });

  it('stay between 2 and 98 cents', () => {
    const prices = new StoryPrices();
    prices.publish(aStory('ne_a', 99));
    expect(prices.publish(aStory('ne_b', 99))[0]?.cents).to.be.at.most(98);
  });
});
