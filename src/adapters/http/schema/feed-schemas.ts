import { META } from '../../../domain/feed/feed-item.js';
import {
  arrayOf,
  boolean,
  closed,
  code,
  id,
  integer,
  type JsonSchema,
  number,
  onlyNull,
  orNull,
  type Properties,
  ref,
  text,
  upperCaseCode,
  url,
} from './json-schema.js';
import { readMoment, writtenMoment } from './moment-schemas.js';

const newsEvent = (time: JsonSchema): Properties => ({
  id,
  headline: text,
  short_headline: text,
  source_news_url: orNull(url),
  source_name: text,
  source_type: code,
  source_tier: code,
  source_url: orNull(url),
  short_context: text,
  long_context: text,
  author: orNull(text),
  feed_categories: arrayOf(code),
  source_published_at: time,
  aggregate_event_relevance: closed({ bucket: code }),
});

const subMarket: Properties = {
  sub_market_id: id,
  sub_market_title: text,
  market_url: url,
  outcomes: closed({ yes: ref('Outcome'), no: ref('Outcome') }),
  news_effect: ref('NewsEffect'),
  market_snapshot: ref('MarketSnapshot'),
  momentum: ref('Momentum'),
};

const relatedMarket = (sub: string): JsonSchema =>
  closed({
    main_market: ref('MainMarket'),
    market_relationship: closed({ bucket: code, summary: text }),
    sub_markets: arrayOf(ref(sub)),
  });

/**
 * The records of contract section 2 as responses, and as `Publication…` in the form that publishers send (D30, D41).
 */
export const feedSchemas: Properties = {
  FeedPage: closed({ items: arrayOf(ref('FeedItem')), next_cursor: orNull(writtenMoment) }),
  FeedItem: closed({
    news_event: ref('NewsEvent'),
    related_markets: arrayOf(ref('RelatedMarket')),
    meta: ref('Meta'),
  }),
  Meta: closed({
    content_type: { const: META.content_type },
    not_investment_advice: { const: META.not_investment_advice },
    not_trading_signal: { const: META.not_trading_signal },
  }),
  NewsEvent: closed({ ...newsEvent(writtenMoment), endpoint_published_at: writtenMoment }),
  RelatedMarket: relatedMarket('SubMarket'),
  MainMarket: closed({
    market_id: id,
    market_url: url,
    market_title: text,
    outcomes: onlyNull,
    news_effect: onlyNull,
    market_snapshot: onlyNull,
    thin_liquidity: onlyNull,
    momentum: onlyNull,
  }),
  SubMarket: closed(subMarket),
  Outcome: closed({ token_id: orNull(text) }),
  NewsEffect: closed({
    affected_outcome: upperCaseCode,
    effect: code,
    relevance_bucket: code,
    rationale: text,
  }),
  MarketSnapshot: closed({
    yes_ask: number,
    no_ask: number,
    volume_24h: number,
    total_volume: number,
    yes_ask_source: code,
    no_ask_source: code,
    yes_tick_age_seconds: integer,
    no_tick_age_seconds: integer,
    note: text,
  }),
  Momentum: closed({ passed: boolean, pre_move_pp: number, criteria: text, config: text }),

  Publication: closed(
    {
      news_event: ref('PublicationNewsEvent'),
      related_markets: arrayOf(ref('PublicationRelatedMarket')),
    },
    { scored_at: readMoment },
  ),
  PublicationNewsEvent: closed(newsEvent(readMoment), { endpoint_published_at: readMoment }),
  PublicationRelatedMarket: relatedMarket('PublicationSubMarket'),
  PublicationSubMarket: closed(subMarket, { scored_at: readMoment }),
  PublishingReport: closed(
    { accepted: integer, rejected: arrayOf(ref('RejectedLine')) },
    {
      unlisted: {
        ...integer,
        description: 'Number of rejected lines that are not listed. Absent when all are listed.',
      },
    },
  ),
  RejectedLine: closed({ line: integer, id: orNull(text), errors: arrayOf(ref('Fault')) }),
};
