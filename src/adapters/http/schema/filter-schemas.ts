import { CODE_PATTERN, CODES_MAX, QUERY_WORDS_MAX } from '../../../domain/feed/filters/filter-values.js';
import { arrayOf, described, type JsonSchema, type Properties, text } from './json-schema.js';

/** The formats of filters; `validator.ts` checks them with `domain/feed/filters/filter-values.ts`. */
export const CODES_FORMAT = 'codes';
export const WORDS_FORMAT = 'words';

/** The messages for other texts. */
export const CODES_MESSAGE = `must be 1 to ${CODES_MAX} codes, separated by commas, none of them empty`;
export const WORDS_MESSAGE = `must have 1 to ${QUERY_WORDS_MAX} different words of letters or digits`;

const codes = (what: string, example: string): JsonSchema => ({
  type: 'string',
  format: CODES_FORMAT,
  description: `Only items with ${what}: up to ${CODES_MAX} codes, separated by commas. Case counts.`,
  examples: [example],
});

/** The filters by the content of an item (D57). */
export const filterProperties: Properties = {
  category: codes('one of these values in `feed_categories`', 'politics,economy'),
  source_tier: codes('one of these values of `source_tier`', 't1'),
  relevance: codes('one of these values of the bucket in `aggregate_event_relevance`', 'high,medium'),
  q: {
    type: 'string',
    format: WORDS_FORMAT,
    description: `Only items that have all of these words, up to ${QUERY_WORDS_MAX}, in a headline, a context or the title of a market. Whole words are compared, without case and accents. Of a word, the first 32 characters count.`,
    examples: ['interest rate'],
  },
};

/** Lists in a message: of single codes, and of texts that together have the words. */
const codeList: JsonSchema = {
  ...arrayOf({ type: 'string', pattern: CODE_PATTERN }),
  minItems: 1,
  maxItems: CODES_MAX,
};
const wordList: JsonSchema = { ...arrayOf(text), minItems: 1 };

/** The same filters in a message of a WebSocket, as text or as a list (D55). */
export const subscribeProperties: Properties = Object.fromEntries(
  Object.entries(filterProperties).map(([name, { description, ...schema }]) => [
    name,
    { description, oneOf: [schema, name === 'q' ? wordList : codeList] },
  ]),
);

/** The filters as the service repeats them: the codes, and the words as they are compared. */
export const repeatedFilters: Properties = Object.fromEntries(
  Object.keys(filterProperties).map((name) => [
    name,
    described(arrayOf(text), `The ${name === 'q' ? 'words' : 'codes'} of the filter. Absent: any.`),
  ]),
);
