import { META } from '../../../domain/feed/feed-item.js';
import {
  arrayOf,
  boolean,
  closed,
  code,
  described,
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

const OPEN_SET = 'New codes may appear.';

const newsEvent = (time: JsonSchema): Properties => ({
  id: described(id, 'The id of the news event. Store the item under it. The filter `news_id` takes it.'),
  headline: described(text, 'The headline, in the language of the source.'),
  short_headline: described(text, 'The headline, shortened for narrow screens.'),
  source_news_url: described(orNull(url), 'The page of the story at its source. Null if it has none.'),
  source_name: described(text, 'The name of the source, for people.'),
  source_type: described(code, `How the story was received, for example \`rss\`. ${OPEN_SET}`),
  source_tier: described(code, `The tier of the source, for example \`t1\`. ${OPEN_SET}`),
  source_url: described(orNull(url), 'The address at which the source publishes, for example its RSS feed.'),
  short_context: described(text, 'One or two sentences that put the headline in context.'),
  long_context: described(text, 'A paragraph that puts the headline in context.'),
  author: described(orNull(text), 'The author. Null if the source names none.'),
  feed_categories: described(
    arrayOf(code),
    `The categories of the story, for example \`geopolitics\`. ${OPEN_SET}`,
  ),
  source_published_at: described(time, 'The time at which the source published the story, in UTC.'),
  aggregate_event_relevance: described(
    closed({
      bucket: described(code, `The relevance: \`high\`, \`medium\` or \`low\`. ${OPEN_SET}`),
    }),
    'How relevant the event is for its markets, taken together.',
  ),
});

const endpointPublishedAt = 'The time at which this service published the item, in UTC.';

const subMarket: Properties = {
  sub_market_id: described(id, 'The id of the sub-market. The filter `market_id` takes it.'),
  sub_market_title: described(text, 'The question that the sub-market decides.'),
  market_url: described(url, 'The page of the sub-market at its exchange.'),
  outcomes: described(
    closed({
      yes: described(ref('Outcome'), 'The outcome YES.'),
      no: described(ref('Outcome'), 'The outcome NO.'),
    }),
    'The two outcomes.',
  ),
  news_effect: described(ref('NewsEffect'), 'What the news changes for this sub-market, and why.'),
  market_snapshot: described(ref('MarketSnapshot'), 'Prices and volumes, for reference.'),
  momentum: described(ref('Momentum'), 'The price move before the news.'),
};

const relatedMarket = (sub: string): JsonSchema =>
  closed({
    main_market: described(ref('MainMarket'), 'The market as a whole.'),
    market_relationship: described(
      closed({
        bucket: described(code, `How close the relation is: \`high\`, \`medium\` or \`low\`. ${OPEN_SET}`),
        summary: described(text, 'Why the event concerns this market, in a sentence.'),
      }),
      'How the market relates to the event.',
    ),
    sub_markets: described(arrayOf(ref(sub)), 'The sub-markets that the event concerns.'),
  });

const alwaysNull = described(onlyNull, 'Always null: the sub-markets have this detail.');

const price = (outcome: string) =>
  described(
    number,
    `The ask price of ${outcome}, as a share of the payout, from 0 to 1: 0.42 is 42 cents for a payout of a dollar.`,
  );
const volume = (period: string) =>
  described(number, `The traded volume ${period}, in the currency of the exchange.`);
const tickAge = (outcome: string) =>
  described(integer, `The age of the last price update of ${outcome}, in seconds.`);
const priceSource = (outcome: string) =>
  described(code, `The source of the price of ${outcome}, for example \`ask\`. ${OPEN_SET}`);

const newsMembers = (newsEventSchema: string, market: string): Properties => ({
  news_event: described(ref(newsEventSchema), 'The news event.'),
  related_markets: described(arrayOf(ref(market)), 'The prediction markets that the event concerns.'),
});

/** The records of contract section 2 as responses. */
const answers: Properties = {
  FeedPage: closed({
    items: described(arrayOf(ref('FeedItem')), 'The items of this page, newest first.'),
    next_cursor: described(
      orNull(writtenMoment),
      'Send it as `cursor` to get the next, older page. Null on the last page.',
    ),
  }),
  FeedItem: closed({
    ...newsMembers('NewsEvent', 'RelatedMarket'),
    meta: described(ref('Meta'), 'What the item is and is not. The same on every item.'),
  }),
  Meta: closed({
    content_type: described({ const: META.content_type }, 'The kind of content.'),
    not_investment_advice: described({ const: META.not_investment_advice }, 'No item is investment advice.'),
    not_trading_signal: described({ const: META.not_trading_signal }, 'No item is a trading signal.'),
  }),
  NewsEvent: closed({
    ...newsEvent(writtenMoment),
    endpoint_published_at: described(writtenMoment, endpointPublishedAt),
  }),
  RelatedMarket: relatedMarket('SubMarket'),
  MainMarket: closed({
    market_id: described(id, 'The id of the market.'),
    market_url: described(url, 'The page of the market at its exchange.'),
    market_title: described(text, 'The title of the market.'),
    outcomes: alwaysNull,
    news_effect: alwaysNull,
    market_snapshot: alwaysNull,
    thin_liquidity: alwaysNull,
    momentum: alwaysNull,
  }),
  SubMarket: closed(subMarket),
  Outcome: closed({
    token_id: described(orNull(text), 'The id of the outcome at the exchange. Null if it is not known.'),
  }),
  NewsEffect: closed({
    affected_outcome: described(
      upperCaseCode,
      `The outcome that the news affects: \`YES\` or \`NO\`. ${OPEN_SET}`,
    ),
    effect: described(code, `What the news does to this outcome, for example \`supports\`. ${OPEN_SET}`),
    relevance_bucket: described(code, `How much it matters: \`high\`, \`medium\` or \`low\`. ${OPEN_SET}`),
    rationale: described(text, 'Why the news has this effect, in a few sentences.'),
  }),
  MarketSnapshot: closed({
    yes_ask: price('YES'),
    no_ask: price('NO'),
    volume_24h: volume('of the last 24 hours'),
    total_volume: volume('since the market opened'),
    yes_ask_source: priceSource('YES'),
    no_ask_source: priceSource('NO'),
    yes_tick_age_seconds: tickAge('YES'),
    no_tick_age_seconds: tickAge('NO'),
    note: described(text, 'A remark, for reference only.'),
  }),
  Momentum: closed({
    passed: described(boolean, 'Whether the sub-market met the criteria.'),
    pre_move_pp: described(number, 'The price move before the news, in percentage points.'),
    criteria: described(text, 'The criteria that were applied, for people.'),
    config: described(text, 'The name of the configuration that was applied.'),
  }),
};

const ownScoredAt = (what: string) =>
  described(readMoment, `The time at which the ${what} was scored. Absent: the time of publication.`);

/** The same records in the form that publishers send (D30, D41). */
const publications: Properties = {
  Publication: closed(newsMembers('PublicationNewsEvent', 'PublicationRelatedMarket'), {
    scored_at: ownScoredAt('item'),
  }),
  PublicationNewsEvent: closed(newsEvent(readMoment), {
    endpoint_published_at: described(readMoment, `${endpointPublishedAt} Absent: now.`),
  }),
  PublicationRelatedMarket: relatedMarket('PublicationSubMarket'),
  PublicationSubMarket: closed(subMarket, { scored_at: ownScoredAt('sub-market') }),
  PublishingReport: closed(
    {
      accepted: described(integer, 'The number of items that were stored.'),
      rejected: described(arrayOf(ref('RejectedLine')), 'The items that were not stored.'),
    },
    {
      unlisted: described(
        integer,
        'Number of rejected lines that are not listed. Absent when all are listed.',
      ),
    },
  ),
  RejectedLine: closed({
    line: described(integer, 'The number of the line, or of the element of the array, from 1.'),
    id: described(orNull(text), 'The id of the news event. Null if it cannot be read.'),
    errors: described(arrayOf(ref('Fault')), 'Everything that is wrong with it, at most 20 errors.'),
  }),
};

export const feedSchemas: Properties = { ...answers, ...publications };
