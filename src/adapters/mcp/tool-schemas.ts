import { QUERY_WORDS_MAX } from '../../domain/feed/filters/filter-values.js';
import { MARKET_KINDS } from '../../domain/feed/markets/market-facts.js';
import { ownValue } from '../../domain/own-value.js';
import { publishedOutput } from '../http/openapi/published-schemas.js';
import { schemas } from '../http/schema/components.js';
import {
  arrayOf,
  boolean,
  closed,
  described,
  integer,
  type JsonSchema,
  number,
  orNull,
  type Properties,
  text,
} from '../http/schema/json-schema.js';
import { writtenMoment } from '../http/schema/moment-schemas.js';
import { filterProperties } from '../http/schema/parameter-schemas.js';
import { writtenPosition } from '../http/schema/position-schemas.js';
import { RESULT_ITEMS_DEFAULT, RESULT_ITEMS_MAX } from './tool-result.js';

/** Shorter than in the API, or without what an argument cannot do there: an agent pays for each word with its context. */
const ARGUMENT_TEXTS: Readonly<Record<string, string>> = {
  author: 'Only items with one of these values of `author`, written as those of `source`.',
  market:
    'Only items with this market, without their others: its id, its URL, the last segment of its path, or a token id.',
};

/** The filters by content as arguments, each one text. Agents do not know the formats of the service, and the API checks them. */
const { q: _, ...codeArguments }: Properties = Object.fromEntries(
  Object.entries(filterProperties).map(([name, { examples, description }]) => [
    name,
    { type: 'string', examples, description: ownValue(ARGUMENT_TEXTS, name) ?? description },
  ]),
);

const wordsArgument = (where: string): JsonSchema =>
  described(
    text,
    `Words, or a whole question. Up to ${QUERY_WORDS_MAX} words must all occur ${where}. Of more, the rarest ${QUERY_WORDS_MAX} that occur together count, and \`query_words\` says which.`,
  );

export const newsArguments: Properties = {
  q: wordsArgument('in a headline, a context or the title of a market'),
  since: described(
    text,
    'Only items that were published or corrected at this time or later, such as `2026-01-31` or `2026-01-31T12:00:00Z`.',
  ),
  until: described(text, 'The same, but before this time.'),
  ...codeArguments,
};

export const marketArguments: Properties = {
  q: wordsArgument('in the title'),
  ref: described(text, 'The URL, id, token id or last URL segment of a market.'),
  venue: described(text, 'The host of its URL, such as `polymarket.com`.'),
  kind: { enum: MARKET_KINDS, description: '`sub`: a question. `main`: a group of them.' },
  main_market_id: described(text, 'Only the sub-markets of this main market.'),
};

export const newsIdArgument = described(text, 'The id of the news event, from a result of another tool.');

export const marketIdArgument = described(
  text,
  'The `market_id` of a sub-market, from an item or `find_markets`.',
);

export const countArgument = (what: string): JsonSchema => ({
  type: 'integer',
  minimum: 1,
  maximum: RESULT_ITEMS_MAX,
  default: RESULT_ITEMS_DEFAULT,
  description: `The most ${what} of the result.`,
});

export const cursorArgument = described(
  text,
  'The `next_cursor` of the last result, with the same other arguments. If it has `query_words`, send them as `q`.',
);

export const afterArgument = described(
  text,
  'The `position` of the last result, or a `feed_position`. Without it, the result has only the position of now.',
);

const feedPosition = described(
  writtenPosition,
  'Where the feed was: the `after` of `watch_market`. Of several pages, use that of the first one.',
);

const queryWords = described(
  arrayOf(text),
  'The words of `q` that counted. As `q`, they have the same result.',
);

const nextCursor = described(orNull(text), 'The `cursor` of the next page. Null: there is none.');

/** A market of an item, as `compact-item.ts` shows it. */
const compactMarket = closed({
  market_id: described(text, 'The id of the sub-market.'),
  market_title: described(text, 'Its question.'),
  yes_ask: described(
    number,
    'What a share of YES cost before most of the reaction to the item: 0.44 is about 44 %.',
  ),
  affected_outcome: described(text, 'The outcome that the news affects.'),
  effect: described(text, 'How: `supports`, `weakens`, `neutral`, or another code.'),
  rationale: described(text, 'Why, as the publisher assesses it.'),
});

const compactItem = closed({
  news_id: described(text, 'The id of the news event, for `get_news`.'),
  headline: described(text, 'The headline.'),
  endpoint_published_at: described(
    writtenMoment,
    'When the item was first published, in UTC. A correction keeps it.',
  ),
  source_name: described(text, 'Who reported it.'),
  source_news_url: described(orNull(text), 'The report. Null if there is none, or it is very long.'),
  markets: described(arrayOf(compactMarket), 'The affected markets, those first that match `q`.'),
  more_markets: described(integer, 'How many markets of the item are left out.'),
});

const foundMarket = closed({
  market_id: described(text, 'The id. Tools take that of a `sub`.'),
  kind: described(text, '`sub` or `main`.'),
  main_market_id: described(orNull(text), 'The main market of a sub-market.'),
  market_title: described(text, 'The title.'),
  market_url: described(orNull(text), 'Its page. Null if it is very long.'),
  last_yes_ask: described(orNull(number), 'The ask of YES in its newest item. Null for a main market.'),
  last_news_at: described(writtenMoment, 'The time of its newest item.'),
  news_count: described(integer, 'The number of its items.'),
});

const change = {
  type: 'object',
  properties: {
    type: described(text, '`item`: new, or replaces the one with its id. `retraction`: remove `id`.'),
    known_at: described(orNull(writtenMoment), 'When the change became known.'),
    item: described({ type: 'object' }, 'Of an `item`: as in the results of `search_news`.'),
    id: described(text, 'Of a retraction: the id of the news event.'),
  },
  required: ['type', 'known_at'],
} as const;

const itemVersion = closed({
  revision: described(
    orNull(integer),
    'How often the id has changed. Null for an id that is older than the history.',
  ),
  known_at: described(writtenMoment, 'When this version became known.'),
  kind: described(
    text,
    '`published`, `replaced`, `retracted` or `purged`. After the last two the feed had no such item.',
  ),
  headline: described(orNull(text), 'The headline of this version. Null if the version has no content.'),
  changed: described(
    arrayOf(
      closed({
        field: described(text, 'The field; of a market with its ids.'),
        before: described({}, 'Its value in the version before. A long text is shortened.'),
        after: described({}, 'Its value in this version. A long text is shortened.'),
      }),
    ),
    'What differs from the version before. Empty for the first one.',
  ),
  more_changed: described(integer, 'How many further fields differ.'),
});

/** The results of the tools. */
const RESULTS = {
  search: closed({
    items: described(arrayOf(compactItem), 'The items, newest first.'),
    next_cursor: nextCursor,
    feed_position: feedPosition,
    query_words: queryWords,
  }),
  page: closed({
    items: described(arrayOf(compactItem), 'The items, newest first.'),
    next_cursor: nextCursor,
    feed_position: feedPosition,
  }),
  markets: closed({
    markets: described(arrayOf(foundMarket), 'The markets, with the newest news first.'),
    next_cursor: nextCursor,
    query_words: queryWords,
  }),
  item: closed({
    item: described({ type: 'object' }, 'The item, as `GET /pm/v2/news` returns it.'),
    feed_position: feedPosition,
    versions: described(
      orNull(arrayOf(itemVersion)),
      'The versions of the item, newest first, up to the one in `item`. Empty if it has not changed since the history began. Null: the history could not be read; the item is complete.',
    ),
    versions_left_out: described(
      integer,
      'How many versions are left out, because the result would be too large. GET /pm/v2/history?news_id=… has them.',
    ),
  }),
  changes: closed({
    messages: described(arrayOf(change), 'The changes, in their order.'),
    position: described(writtenPosition, 'The `after` of the next call.'),
    more: described(boolean, 'Whether there can be further changes already: then call again at once.'),
  }),
  usage: schemas['Usage'],
} as const;

export type ResultName = keyof typeof RESULTS;

const REFERENCE = '#/components/schemas/';

/**
 * The schema of a result, complete in itself: everything that it refers to is in `$defs`. It is open for later versions,
 * because clients keep it, and validate with it. `isDescribed` is false where another tool describes the same fields: a
 * client gets all schemas at once, and pays for each with its context.
 */
export function resultSchema(name: ResultName, isDescribed: boolean): JsonSchema {
  const definitions: Record<string, unknown> = {};
  const moved = (schema: unknown): unknown =>
    JSON.parse(JSON.stringify(schema), (key, value) => {
      if (!isDescribed && key === 'description' && typeof value === 'string') return undefined;
      if (key !== '$ref' || typeof value !== 'string' || !value.startsWith(REFERENCE)) return value;
      const target = value.slice(REFERENCE.length);
      if (!Object.hasOwn(definitions, target)) {
        definitions[target] = null; // A schema that refers to itself ends here.
        definitions[target] = moved(publishedOutput(ownValue(schemas, target)));
      }
      return `#/$defs/${target}`;
    });
  const schema = moved(publishedOutput(RESULTS[name])) as JsonSchema;
  return Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions };
}
