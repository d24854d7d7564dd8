import { LIMIT } from '../../../domain/feed/feed-query.js';
import {
  CODES_MAX,
  QUERY_WORDS_MAX,
  readTermValues,
  type TermParameter,
} from '../../../domain/feed/filters/filter-values.js';
import { MARKETS_MAX } from '../../../domain/feed/filters/market-filter.js';
import { HISTORY_LIMIT } from '../../../domain/feed/history/history-limits.js';
import { MARKET_KINDS } from '../../../domain/feed/markets/market-facts.js';
import { MARKET_SORTS, MARKETS_LIMIT, REFERENCES_MAX } from '../../../domain/feed/markets/market-query.js';
import { BATCH_LIMIT, BATCH_WAIT } from '../../../domain/feed/stream-batch.js';
import { FILTER_MARKETS_MAX } from '../../../domain/feed/stream-filter.js';
import { USAGE_HISTORY_PARAMETERS } from '../limits/usage-history-parameters.js';
import { WORDS_FORMAT, WORDS_MESSAGE } from '../schema/filter-formats.js';
import { arrayOf, id } from '../schema/json-schema.js';
import {
  asOf,
  codes,
  cursor,
  type FeedParameter,
  identifier,
  logPosition,
  names,
  oneOf,
  orWrong,
  position,
  readId,
  references,
  time,
  venue,
  venues,
  wholeNumber,
} from './feed-parameter.js';

/** The filters by the content of an item (D57). */
export const FILTER_PARAMETERS = {
  category: codes('category', 'one of these values in `feed_categories`', 'politics,economy'),
  source_tier: codes('source_tier', 'one of these values of `source_tier`', 't1'),
  relevance: codes(
    'relevance',
    'one of these values of the bucket in `aggregate_event_relevance`',
    'high,medium',
  ),
  source: names('source', 'one of these values of `source_name`', 'meridian-wire'),
  source_type: codes('source_type', 'one of these values of `source_type`', 'rss'),
  author: names('author', 'one of these values of `author`', 'l-o-brien'),
  effect: codes('effect', 'a sub-market that has one of these values of `effect`', 'supports,weakens'),
  outcome: codes('outcome', 'a sub-market that has one of these values of `affected_outcome`', 'YES'),
  momentum: codes('momentum', 'a sub-market whose `momentum` has `passed` or `failed`', 'passed'),
  venue: venues(
    'venue',
    `Only items with a market at one of these venues: up to ${CODES_MAX} hosts of market URLs, separated by commas.`,
  ),
  market: references(
    MARKETS_MAX,
    `Only items with a market that one of these references means, without their other markets: a market id, the URL of a market, the last segment of its path, or a token id. A URL is compared with its query and fragment. Repeat it up to ${MARKETS_MAX} times. With \`market_id\`, both must match.`,
  ),
  q: {
    read: (text: string) =>
      orWrong(readTermValues('q', text), { code: 'invalid_words', message: WORDS_MESSAGE }),
    schema: {
      type: 'string',
      format: WORDS_FORMAT,
      description: `Only items that have all of these words, up to ${QUERY_WORDS_MAX}, in a headline, a context or the title of a market. Whole words are compared, without case and accents. Of a word, the first 32 characters count.`,
      examples: ['interest rate'],
    },
    isLogged: false,
  },
} as const satisfies Readonly<
  Record<TermParameter, FeedParameter<readonly string[]> | (FeedParameter<string> & { valuesMax: number })>
>;

/** The query parameters of `GET /pm/v2/news` (contract section 4, D13). */
export const PAGE_PARAMETERS = {
  limit: wholeNumber(LIMIT, 'Items per page.'),
  cursor: time('The next_cursor of the previous page. Returns only older items.'),
  since: time('Returns only items whose scored_at is this time or later.'),
  news_id: identifier('Returns only the news event with this id.'),
  market_id: identifier('Returns only items with this sub-market, without their other sub-markets.'),
  as_of: asOf(
    'Returns the page as it was: at this position, which is the `Feed-Position` of an earlier answer, or at this time. Not together with filters by content.',
  ),
  ...FILTER_PARAMETERS,
} as const;

/** The query parameters of `GET /pm/v2/stream` (D48); `limit` and `wait` are those of a batch (D58). */
export const STREAM_PARAMETERS = {
  after: position('Sends the changes after this position. Not together with `since`.'),
  since: time(
    'Sends the items whose scored_at is this time or later, oldest first, then the changes. Not together with `after`.',
  ),
  news_id: identifier(
    'Sends only changes of the news event with this id: also its retraction, and no other.',
  ),
  market_id: {
    read: readId,
    schema: {
      ...arrayOf(id),
      minItems: 1,
      maxItems: FILTER_MARKETS_MAX,
      description: `Sends only items with one of these sub-markets, without their others. Repeat it up to ${FILTER_MARKETS_MAX} times.`,
    },
    isLogged: true,
    valuesMax: FILTER_MARKETS_MAX,
  },
  ...FILTER_PARAMETERS,
  limit: wholeNumber(
    BATCH_LIMIT,
    'Only with `Accept: application/json`: the items and retractions of one batch.',
  ),
  wait: wholeNumber(
    BATCH_WAIT,
    'Only with `Accept: application/json`: the seconds to wait for the first message.',
  ),
} as const;

/** The query parameters of `GET /pm/v2/changes`: those of a stream, which is always a batch (D58). */
export const CHANGES_PARAMETERS = {
  ...STREAM_PARAMETERS,
  limit: wholeNumber(BATCH_LIMIT, 'The items and retractions of one batch.'),
  wait: wholeNumber(BATCH_WAIT, 'The seconds to wait for the first message.'),
} as const;

/** The query parameters of `GET /pm/v2/history` (D61); `limit` is that of a page. */
export const HISTORY_PARAMETERS = {
  after: logPosition('Returns the changes after this position. Not together with `since`.'),
  since: time('Returns the changes that became known at this time or later. Not together with `after`.'),
  until: asOf(
    'Ends with the change at this position, or with the last one known at this time. Default: now.',
  ),
  news_id: identifier('Returns only the changes of the news event with this id.'),
  market_id: STREAM_PARAMETERS.market_id,
  ...FILTER_PARAMETERS,
  limit: wholeNumber(HISTORY_LIMIT, 'Only with `Accept: application/json`: the changes of one page.'),
} as const;

/** The query parameters of `GET /pm/v2/markets` (D63). */
export const MARKETS_PARAMETERS = {
  ref: references(
    REFERENCES_MAX,
    `Only the markets that one of these references means: a market id, the URL of a market, the last segment of its path, or a token id. Repeat it up to ${REFERENCES_MAX} times.`,
  ),
  q: {
    ...FILTER_PARAMETERS.q,
    schema: {
      ...FILTER_PARAMETERS.q.schema,
      description: `Only markets with all of these words in their title, up to ${QUERY_WORDS_MAX}. Whole words are compared, without case and accents. Of a word, the first 32 characters count.`,
    },
  },
  venue: venue('Only markets of this venue: the host of their URL, such as `polymarket.com`.'),
  kind: oneOf(MARKET_KINDS, 'Only main markets, or only sub-markets.'),
  main_market_id: identifier('Only the sub-markets of this main market.'),
  sort: oneOf(
    MARKET_SORTS,
    '`news` (default): the market with the newest item first. `id`: the order of the ids, in which a walk lists every market.',
  ),
  limit: wholeNumber(MARKETS_LIMIT, 'Markets per page.'),
  cursor: cursor('The `next_cursor` of the page before, with the same `sort`.'),
} as const;

/** The parameters that the access log has. */
export const LOGGED_PARAMETERS: readonly string[] = Object.entries({
  ...PAGE_PARAMETERS,
  ...STREAM_PARAMETERS,
  ...HISTORY_PARAMETERS,
  ...MARKETS_PARAMETERS,
  ...USAGE_HISTORY_PARAMETERS,
})
  .filter(([, { isLogged }]) => isLogged)
  .map(([name]) => name);
