import { LIMIT } from '../../../domain/feed/feed-query.js';
import {
  QUERY_WORDS_MAX,
  readTermValues,
  type TermParameter,
} from '../../../domain/feed/filters/filter-values.js';
import { HISTORY_LIMIT } from '../../../domain/feed/history/history-limits.js';
import { BATCH_LIMIT, BATCH_WAIT } from '../../../domain/feed/stream-batch.js';
import { FILTER_MARKETS_MAX } from '../../../domain/feed/stream-filter.js';
import { WORDS_FORMAT, WORDS_MESSAGE } from '../schema/filter-formats.js';
import { arrayOf, id } from '../schema/json-schema.js';
import {
  asOf,
  codes,
  type FeedParameter,
  identifier,
  logPosition,
  orWrong,
  position,
  readId,
  time,
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
} as const satisfies Readonly<Record<TermParameter, FeedParameter<readonly string[]>>>;

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

/** The parameters that the access log has. */
export const LOGGED_PARAMETERS: readonly string[] = Object.entries({
  ...PAGE_PARAMETERS,
  ...STREAM_PARAMETERS,
  ...HISTORY_PARAMETERS,
})
  .filter(([, { isLogged }]) => isLogged)
  .map(([name]) => name);
