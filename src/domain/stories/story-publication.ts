import type { PublicationInput, SubMarket } from '../feed/feed-item.js';
import { between, type Duration, MILLISECOND, MINUTE, type Moment, plus, SECOND } from '../moment.js';
import { mainMarket, marketUrl, momentumOf, SNAPSHOT_NOTE, tokenId } from './sample-exchange.js';
import { SeededRandom } from './seeded-random.js';
import type { Story, StoryLink, StoryMarket, StoryOutlet } from './story.js';
import type { Quote, StoryPrices } from './story-prices.js';

type PublishedEvent = PublicationInput['news_event'];
/** A publication whose source time the next story follows. */
type StoryPublication = PublicationInput & {
  readonly news_event: { readonly source_published_at: Moment };
};
type Timed<Sub> = Sub & { readonly scored_at: Moment };

/**
 * The publication of a story, scored at `at`, with prices that react to the stories before it. Its source published it
 * after `previous`, the source time of the story before it, so that source times follow the plot.
 */
export function storyPublication(
  story: Story,
  prices: StoryPrices,
  at: Moment,
  previous: Moment,
): StoryPublication {
  const random = SeededRandom.of(story.headline);
  const quotes = [...prices.publish(story)];
  const endpointPublishedAt = timeBetween(previous, at, random.whole(50, 1_500) * MILLISECOND);
  return {
    news_event: {
      id: story.id,
      headline: story.headline,
      short_headline: story.shortHeadline,
      ...sourceFields(story.outlet, story.id),
      short_context: story.summary,
      long_context: story.details.join(' '),
      author: story.author,
      feed_categories: story.categories,
      source_published_at: timeBetween(previous, endpointPublishedAt, random.whole(2 * MINUTE, 30 * MINUTE)),
      endpoint_published_at: endpointPublishedAt,
      aggregate_event_relevance: { bucket: story.relevance },
    },
    related_markets: story.markets.map((link) => ({
      main_market: mainMarket(link.market.slug, link.market.title),
      market_relationship: { bucket: link.relevance, summary: link.summary },
      sub_markets: subMarkets(link, quotes.splice(0, link.effects.length), at, random),
    })),
    scored_at: at,
  };
}

/** The time `distance` before `end`, or the middle between `start` and `end` if that is later. */
const timeBetween = (start: Moment, end: Moment, distance: Duration): Moment =>
  plus(end, -Math.min(distance, Math.floor(Math.max(between(start, end), 0) / 2)));

/** The source fields of an item. Some outlets have no address for each story. */
const sourceFields = (
  outlet: StoryOutlet,
  id: string,
): Pick<
  PublishedEvent,
  'source_news_url' | 'source_name' | 'source_type' | 'source_tier' | 'source_url'
> => ({
  source_news_url: outlet.linksStories ? `https://${outlet.domain}/stories/${id.slice(3)}` : null,
  source_name: outlet.name,
  source_type: outlet.type,
  source_tier: outlet.tier,
  source_url: outlet.feed === null ? null : `https://${outlet.domain}${outlet.feed}`,
});

const subMarkets = (
  { market, effects }: StoryLink,
  quotes: readonly Quote[],
  at: Moment,
  random: SeededRandom,
): readonly Timed<SubMarket>[] =>
  quotes.flatMap((quote, i) => {
    const effect = effects[i];
    if (effect === undefined) return [];
    const newsEffect = {
      affected_outcome: effect.outcome,
      effect: effect.effect,
      relevance_bucket: effect.relevance,
      rationale: effect.because.join(' '),
    };
    return [subMarket(market, effect.on, newsEffect, quote, at, random)];
  });

/** A sub-market with its effect and its price. Its id and tokens are the same in every item. */
function subMarket(
  market: StoryMarket,
  key: string,
  news_effect: SubMarket['news_effect'],
  quote: Quote,
  at: Moment,
  random: SeededRandom,
): Timed<SubMarket> {
  const id = `sm-${market.slug}-${key}`;
  const tokens = SeededRandom.of(id);
  return {
    sub_market_id: id,
    sub_market_title: market.subMarkets[key]?.[0] ?? market.title,
    market_url: `${marketUrl(market.slug)}/${key}`,
    outcomes: { yes: { token_id: tokenId(tokens) }, no: { token_id: tokenId(tokens) } },
    news_effect,
    market_snapshot: {
      yes_ask: quote.cents / 100,
      no_ask: Math.min(100 - quote.cents + random.whole(1, 2), 99) / 100,
      volume_24h: quote.turnover24h,
      total_volume: quote.totalTurnover,
      yes_ask_source: 'ask',
      no_ask_source: random.chance(0.9) ? 'ask' : 'last',
      yes_tick_age_seconds: random.whole(0, 240),
      no_tick_age_seconds: random.whole(0, 240),
      note: SNAPSHOT_NOTE,
    },
    momentum: momentumOf(quote.move),
    scored_at: plus(at, -random.whole(0, 2 * SECOND)),
  };
}
