import type { PublicationInput } from '../../../domain/feed/feed-item.js';
import { MILLISECOND, type Moment, plus } from '../../../domain/moment.js';
import { mainMarket } from '../sample-exchange.js';
import { SeededRandom } from '../seeded-random.js';
import type { Story, StoryMarket } from '../story.js';
import { OUTLETS } from '../story-outlets.js';
import { DRIFT_STEP, type Quote, type StoryPrices } from './story-prices.js';
import { sourceFields, subMarket } from './story-publication.js';

/** A market and the newest story that bears on it. */
export type CoveredMarket = { readonly market: StoryMarket; readonly latest: Story };

/** The `n`-th price update: an item without news that reports the prices of one market. */
export function priceUpdate(
  n: number,
  { market, latest }: CoveredMarket,
  prices: StoryPrices,
  at: Moment,
): PublicationInput {
  const id = `ne_price-update-${n}`;
  const random = SeededRandom.of(id);
  const quotes = Object.entries(market.subMarkets).map(
    ([key, [question]]) => [key, question, prices.drift(market, key)] as const,
  );
  const summary = `No new report. ${quotes.map(([, question, quote]) => `${question} ${priceText(quote)}`).join(' ')}`;
  const endpointPublishedAt = plus(at, -random.whole(50, 1_500) * MILLISECOND);
  return {
    news_event: {
      id,
      headline: `Price update ${n} on “${market.title}”`,
      short_headline: `Price update: ${market.title}`,
      ...sourceFields(OUTLETS.tallystone, id),
      short_context: summary,
      long_context: `${summary} The latest story on this market: ${latest.headline}. ${latest.summary}`,
      author: null,
      feed_categories: ['price_update'],
      source_published_at: plus(endpointPublishedAt, -random.whole(200, 900) * MILLISECOND),
      endpoint_published_at: endpointPublishedAt,
      aggregate_event_relevance: { bucket: 'low' },
    },
    related_markets: [
      {
        main_market: mainMarket(market.slug, market.title),
        market_relationship: { bucket: 'low', summary: 'The update reports the prices of this market.' },
        sub_markets: quotes.map(([key, , quote]) => {
          const effect = {
            affected_outcome: 'YES',
            effect: 'neutral',
            relevance_bucket: 'low',
            rationale: rationaleOf(quote, latest),
          };
          return subMarket(market, key, effect, quote, at, random);
        }),
      },
    ],
    scored_at: at,
  };
}

const priceText = ({ cents, move }: Quote): string => `YES ${cents} cents (${moveText(move)}).`;

const moveText = (move: number): string =>
  move === 0 ? 'unchanged' : `${move > 0 ? 'up' : 'down'} ${Math.abs(move)}`;

function rationaleOf({ cents, move }: Quote, { shortHeadline }: Story): string {
  const change =
    move === 0
      ? `YES is unchanged at ${cents} cents.`
      : `YES is at ${cents} cents, ${Math.abs(move)} ${move > 0 ? 'higher' : 'lower'} than in the previous item.`;
  const meaning =
    Math.abs(move) > DRIFT_STEP
      ? 'The move completes the reaction to the reports so far, the latest of which is'
      : 'A price that moves so little without a new report says nothing about the outcome. The latest report is';
  return `${change} ${meaning} “${shortHeadline}”.`;
}
