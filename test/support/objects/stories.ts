import type { Story } from '../../../src/domain/stories/story.js';

/** A story that moves the only price, which is 50 cents at first, by a number of cents. */
export const aStory = (id: string, points: number): Story => ({
  id,
  outlet: { name: 'Wire', domain: 'wire.example', type: 'wire', tier: 't1', feed: null, linksStories: true },
  author: null,
  categories: ['climate'],
  relevance: 'high',
  headline: `Headline of ${id}`,
  shortHeadline: id,
  summary: 'It rains.',
  details: ['It rains a lot.'],
  markets: [
    {
      market: { slug: 'rain', title: 'Rain', turnover: 100, subMarkets: { june: ['Rain in June?', 50] } },
      relevance: 'high',
      summary: 'The rain.',
      effects: [
        { on: 'june', outcome: 'YES', relevance: 'high', because: ['It rains.'], effect: 'supports', points },
      ],
    },
  ],
});
