import type { Story, StoryMarket, StoryStep } from './story.js';

/**
 * The same step in a later round, in which the plots begin again. Its story and its markets have ids of their own, because
 * a decided market does not reopen. The texts say which round it is.
 */
export const stepInRound = ({ kind, story }: StoryStep, round: number): StoryStep => ({
  kind,
  story: storyInRound(story, round),
});

const storyInRound = (story: Story, round: number): Story => ({
  ...story,
  id: `${story.id}-round-${round}`,
  headline: inRound(story.headline, round),
  shortHeadline: inRound(story.shortHeadline, round),
  details: [
    ...story.details,
    `This is round ${round}: the invented stories begin again, with new markets and their first prices.`,
  ],
  markets: story.markets.map((link) => ({ ...link, market: marketInRound(link.market, round) })),
});

const marketInRound = (market: StoryMarket, round: number): StoryMarket => ({
  ...market,
  slug: `${market.slug}-round-${round}`,
  firstSlug: market.slug,
  title: inRound(market.title, round),
});

const inRound = (text: string, round: number): string => `${text} (round ${round})`;
