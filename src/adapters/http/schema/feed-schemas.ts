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
  known,
  number,
  onlyNull,
  orNull,
  type Properties,
  ref,
  text,
  upperCaseCode,
  url,
} from './json-schema.js';
import { writtenMoment } from './moment-schemas.js';

/** What readers learn of an open set of codes: the known ones, and that they are not all (D12). */
const OPEN_SET = 'Other codes can appear.';

const BUCKETS = ['high', 'medium', 'low'] as const;

export const newsEvent = (time: JsonSchema): Properties => ({
  id: described(id, 'The id of the news event. Store the item under it. The filter `news_id` takes it.'),
  headline: described(text, 'The headline, in the language of the source.'),
  short_headline: described(text, 'The headline, shortened for narrow screens.'),
  source_news_url: described(orNull(url), 'The page of the story at its source. Null if it has none.'),
  source_name: described(text, 'The name of the source, for people.'),
  source_type: described(
    known(code, 'rss'),
    `How the story was received. Known: \`rss\` (an RSS feed). ${OPEN_SET}`,
  ),
  source_tier: described(
    known(code, 't1'),
    `The tier of the source, as the publisher grades it. Known: \`t1\`. ${OPEN_SET} The filter \`source_tier\` takes it.`,
  ),
  source_url: described(orNull(url), 'The address at which the source publishes, for example its RSS feed.'),
  short_context: described(text, 'One or two sentences that put the headline in context.'),
  long_context: described(text, 'A paragraph that puts the headline in context.'),
  author: described(orNull(text), 'The author. Null if the source names none.'),
  feed_categories: described(
    arrayOf(known(code, 'geopolitics')),
    `The categories of the story. Known: \`geopolitics\`. ${OPEN_SET} The filter \`category\` takes them.`,
  ),
  source_published_at: described(time, 'The time at which the source published the story, in UTC.'),
  aggregate_event_relevance: described(
    closed({
      bucket: described(
        known(code, ...BUCKETS),
        `Known: \`high\`, \`medium\`, \`low\`. ${OPEN_SET} The filter \`relevance\` takes it.`,
      ),
    }),
    'How relevant the event is for all its markets taken together. One value for the whole item.',
  ),
});

export const endpointPublishedAt = 'The time at which this service published the item, in UTC.';

/** `snapshot` and `momentum`: the names of their schemas. */
export const subMarket = (snapshot: string, momentum: string): Properties => ({
  sub_market_id: described(
    id,
    'The id of the sub-market. Send it in the filter `market_id`, which takes no id of a main market.',
  ),
  sub_market_title: described(text, 'The yes/no question that is traded.'),
  market_url: described(url, 'The page of the sub-market at its exchange.'),
  outcomes: described(
    closed({
      yes: described(ref('Outcome'), 'The outcome YES: its share pays 1 if the answer is yes, else nothing.'),
      no: described(ref('Outcome'), 'The outcome NO: its share pays 1 if the answer is no, else nothing.'),
    }),
    'The two outcomes.',
  ),
  news_effect: described(
    ref('NewsEffect'),
    'What the news changes for this question, and why: the assessment of the publisher.',
  ),
  market_snapshot: described(
    ref(snapshot),
    'Prices and volumes when the item was scored, for reference. They are not updated in this item.',
  ),
  momentum: described(ref(momentum), 'The price move before the news, and whether it met the criteria.'),
});

export const relatedMarket = (sub: string): JsonSchema =>
  closed({
    main_market: described(ref('MainMarket'), 'The market as a whole.'),
    market_relationship: described(
      closed({
        bucket: described(
          known(code, ...BUCKETS),
          `How closely the event concerns this main market. Known: \`high\`, \`medium\`, \`low\`. ${OPEN_SET}`,
        ),
        summary: described(text, 'Why the event concerns this market, in a sentence.'),
      }),
      'How the market relates to the event.',
    ),
    sub_markets: described(arrayOf(ref(sub)), 'The sub-markets that the event concerns.'),
  });

const alwaysNull = described(onlyNull, 'Always null. The detail is in the sub-markets.');

const price = (outcome: string) =>
  described(
    number,
    `The ask price of ${outcome}: the price at which a share can be bought, as a part of its payout, from 0 to 1. 0.44 is 44 cents for a payout of a dollar. The asks of YES and NO usually add up to slightly more than 1.`,
  );
const volume = (period: string) =>
  described(number, `The traded volume ${period}, in the currency of the exchange.`);
const tickAge = (outcome: string) =>
  described(
    integer,
    `The age of the last price update of ${outcome} when the snapshot was taken, in seconds.`,
  );
const priceSource = (outcome: string) =>
  described(
    known(code, 'ask', 'last'),
    `Where the price of ${outcome} comes from. Known: \`ask\` (an offer to sell), \`last\` (no offer: the last trade). ${OPEN_SET}`,
  );

export const snapshotMembers: Properties = {
  yes_ask: price('YES'),
  no_ask: price('NO'),
  volume_24h: volume('of the last 24 hours'),
  total_volume: volume('since the market opened'),
  yes_ask_source: priceSource('YES'),
  no_ask_source: priceSource('NO'),
  yes_tick_age_seconds: tickAge('YES'),
  no_tick_age_seconds: tickAge('NO'),
  note: described(text, 'A remark on the snapshot, for reference only.'),
};

export const momentumMembers: Properties = {
  passed: described(boolean, 'Whether the move met the `criteria`.'),
  pre_move_pp: described(
    number,
    'The price move before the news, in percentage points: 4 is a move from 0.40 to 0.44, and -4 one from 0.44 to 0.40.',
  ),
  criteria: described(
    text,
    'The criteria that were applied, as a text for people. It states the period of the move.',
  ),
  config: described(text, 'The name of the version of the criteria.'),
};

export const newsMembers = (newsEventSchema: string, market: string): Properties => ({
  news_event: described(ref(newsEventSchema), 'The news event.'),
  related_markets: described(
    arrayOf(ref(market)),
    'The prediction markets that the event concerns: main markets, each with its sub-markets.',
  ),
});

/** The records of contract section 2 as responses. */
export const feedSchemas: Properties = {
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
    market_id: described(
      id,
      'The id of the main market. The filter `market_id` does not take it: send a `sub_market_id` there.',
    ),
    market_url: described(url, 'The page of the market at its exchange.'),
    market_title: described(text, 'The title of the main market.'),
    outcomes: alwaysNull,
    news_effect: alwaysNull,
    market_snapshot: alwaysNull,
    thin_liquidity: described(onlyNull, 'Always null. The sub-markets have no such field.'),
    momentum: alwaysNull,
  }),
  SubMarket: closed(subMarket('MarketSnapshot', 'Momentum')),
  Outcome: closed({
    token_id: described(orNull(text), 'The id of the outcome at the exchange. Null if it is not known.'),
  }),
  NewsEffect: closed({
    affected_outcome: described(
      known(upperCaseCode, 'YES', 'NO'),
      `The outcome to which \`effect\` refers. Known: \`YES\`, \`NO\`. ${OPEN_SET}`,
    ),
    effect: described(
      known(code, 'supports', 'weakens', 'neutral'),
      `What the news does to this outcome. Known: \`supports\` (makes it more likely), \`weakens\` (makes it less likely), \`neutral\` (neither). ${OPEN_SET} To weaken YES is the same as to support NO.`,
    ),
    relevance_bucket: described(
      known(code, ...BUCKETS),
      `How much the news matters for this question. Known: \`high\`, \`medium\`, \`low\`. ${OPEN_SET}`,
    ),
    rationale: described(text, 'Why the news has this effect: free text of the publisher.'),
  }),
  MarketSnapshot: closed(snapshotMembers),
  Momentum: closed(momentumMembers),
};
