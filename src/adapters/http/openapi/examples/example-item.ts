import { type FeedItem, type PublicationInput, readPublication } from '../../../../domain/feed/feed-item.js';
import { type Moment, parseMoment } from '../../../../domain/moment.js';
import { isRefusal } from '../../../../domain/refusal.js';

function at(text: string): Moment {
  const moment = parseMoment(text);
  if (moment === undefined) throw new Error(`${text} is not a time`);
  return moment;
}

/** The time at which the item of all examples was published. */
export const EXAMPLE_TIME: Moment = at('2026-01-31T12:00:00.000000Z');

/**
 * The item of all examples, and of a front page without news, in the form that a publisher sends: an invented story with one
 * sub-market, which has every field.
 */
export const EXAMPLE_PUBLICATION: PublicationInput = {
  news_event: {
    id: 'ne_halvex-agreement',
    headline: 'Karvenia and Tolmere agree to reopen the Halvex Strait to freight within two months',
    short_headline: 'Deal to reopen the Halvex Strait',
    source_news_url: 'https://halvex-wire.example/stories/halvex-agreement',
    source_name: 'The Halvex Wire',
    source_type: 'wire',
    source_tier: 't1',
    source_url: 'https://halvex-wire.example/latest.xml',
    short_context:
      'Inspectors from Sundrel will check cargo at both ends of the strait. Freight may pass again six weeks after signature.',
    long_context:
      'The foreign ministers initialled the text in Sundrel on Sunday night and will sign it within ten days. Karvenia closed the strait last autumn, and gas carriers have sailed around the cape since. Each side may suspend the agreement at 30 days’ notice. A paragraph on fishing rights was left for separate talks.',
    author: 'Ansgar Thielemann',
    feed_categories: ['geopolitics', 'shipping', 'energy'],
    source_published_at: at('2026-01-31T11:36:02.251672Z'),
    endpoint_published_at: at('2026-01-31T11:58:47.871291Z'),
    aggregate_event_relevance: {
      bucket: 'high',
    },
  },
  related_markets: [
    {
      main_market: {
        market_id: 'mk-halvex-strait',
        market_url: 'https://tallystone.example/markets/halvex-strait',
        market_title: 'When does the Halvex Strait reopen to freight?',
        outcomes: null,
        news_effect: null,
        market_snapshot: null,
        thin_liquidity: null,
        momentum: null,
      },
      market_relationship: {
        bucket: 'high',
        summary: 'The agreement sets a date for the event that settles this market.',
      },
      sub_markets: [
        {
          sub_market_id: 'sm-halvex-strait-midsummer',
          sub_market_title: 'Will the Halvex Strait reopen to freight before midsummer?',
          market_url: 'https://tallystone.example/markets/halvex-strait/midsummer',
          outcomes: {
            yes: {
              token_id: '450889999638073584639959',
            },
            no: {
              token_id: '591918567880155044503446',
            },
          },
          news_effect: {
            affected_outcome: 'YES',
            effect: 'supports',
            relevance_bucket: 'high',
            rationale:
              'Signature within ten days plus six weeks gives a date well before midsummer, and both governments have initialled the text. What remains is the risk that one side delays its signature.',
          },
          market_snapshot: {
            yes_ask: 0.44,
            no_ask: 0.57,
            volume_24h: 215280,
            total_volume: 3827304,
            yes_ask_source: 'ask',
            no_ask_source: 'ask',
            yes_tick_age_seconds: 171,
            no_tick_age_seconds: 226,
            note: 'Reference only: the price when the item was scored, before most of the reaction to this news.',
          },
          momentum: {
            passed: true,
            pre_move_pp: 6,
            criteria: 'A move of at least 3 percentage points in the 24 hours before scoring',
            config: 'momentum-24h-v1',
          },
          scored_at: at('2026-01-31T11:58:47.089351Z'),
        },
      ],
    },
  ],
  scored_at: at('2026-01-31T11:58:48.068291Z'),
};

/** The same item as a page has it. */
export function exampleItem(): FeedItem {
  const publication = readPublication(EXAMPLE_PUBLICATION, EXAMPLE_TIME, 'backfill');
  if (isRefusal(publication)) throw new Error('the example is not a valid item');
  return publication.item;
}
