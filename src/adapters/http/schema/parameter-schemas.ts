import { CODE_PATTERN, CODES_MAX } from '../../../domain/feed/filters/filter-values.js';
import { FILTER_MARKETS_MAX } from '../../../domain/feed/stream-filter.js';
import { ownValue } from '../../../domain/own-value.js';
import {
  CHANGES_PARAMETERS,
  FILTER_PARAMETERS,
  HISTORY_PARAMETERS,
  MARKETS_PARAMETERS,
  PAGE_PARAMETERS,
  STREAM_PARAMETERS,
} from '../feed/feed-parameters.js';
import { schemasOf } from '../feed/read-parameters.js';
import { USAGE_HISTORY_PARAMETERS } from '../limits/usage-history-parameters.js';
import { arrayOf, closed, described, id, type JsonSchema, type Properties, text } from './json-schema.js';

export const filterProperties: Properties = schemasOf(FILTER_PARAMETERS);

export const newsParameters: JsonSchema = closed({}, schemasOf(PAGE_PARAMETERS));

export const historyParameters: JsonSchema = closed({}, schemasOf(HISTORY_PARAMETERS));

export const marketsParameters: JsonSchema = closed({}, schemasOf(MARKETS_PARAMETERS));

export const usageHistoryParameters: JsonSchema = closed({}, schemasOf(USAGE_HISTORY_PARAMETERS));

export const streamParameters: JsonSchema = closed({}, schemasOf(STREAM_PARAMETERS));

export const changesParameters: JsonSchema = closed({}, schemasOf(CHANGES_PARAMETERS));

/** Lists in a message: of single codes, and of texts that together have the words. */
const codeList: JsonSchema = {
  ...arrayOf({ type: 'string', pattern: CODE_PATTERN }),
  minItems: 1,
  maxItems: CODES_MAX,
};
const wordList: JsonSchema = { ...arrayOf(text), minItems: 1 };

/** The filters in a message of a WebSocket, as text or as a list (D55). */
const subscribeProperties: Properties = Object.fromEntries(
  Object.entries(filterProperties).map(([name, { description, ...schema }]) => {
    const { items } = schema;
    const forms = items === undefined ? [schema, name === 'q' ? wordList : codeList] : [items, schema];
    return [name, { description, oneOf: forms }];
  }),
);

/** Filters by sub-market: an item passes if it holds any of them, and is sent without its others (D48). */
const marketIds: JsonSchema = { ...arrayOf(id), minItems: 1, maxItems: FILTER_MARKETS_MAX };

/** The only message that a client may send on a WebSocket (D55). Without filters: everything. */
export const streamSubscribe: JsonSchema = closed(
  { type: described({ const: 'subscribe' }, 'Replaces the filter of the stream.') },
  {
    news_id: described(id, 'Send only changes of the news event with this id. Absent: of any.'),
    market_id: described(
      { oneOf: [id, marketIds] },
      'Send only items with one of these sub-markets. Absent: any.',
    ),
    ...subscribeProperties,
  },
);

const REPEATED: Readonly<Record<string, string>> = { q: 'words', market: 'references' };

/** The filters as the service repeats them: codes and words as they are compared, and references as they were sent. */
export const repeatedFilters: Properties = Object.fromEntries(
  Object.keys(filterProperties).map((name) => [
    name,
    described(arrayOf(text), `The ${ownValue(REPEATED, name) ?? 'codes'} of the filter. Absent: any.`),
  ]),
);
