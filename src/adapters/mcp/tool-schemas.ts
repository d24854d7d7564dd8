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
  orNull,
  type Properties,
  ref,
  text,
} from '../http/schema/json-schema.js';
import { writtenMoment } from '../http/schema/moment-schemas.js';
import { filterProperties } from '../http/schema/parameter-schemas.js';
import { writtenPosition } from '../http/schema/position-schemas.js';
import { RESULT_BYTES_MAX, RESULT_ITEMS_DEFAULT, RESULT_ITEMS_MAX } from './tool-result.js';

/** The filters by content as arguments. The formats of the service are unknown to agents, and are left out. */
export const filterArguments: Properties = Object.fromEntries(
  Object.entries(filterProperties).map(([name, { format: _, ...schema }]) => [name, schema]),
);

export const newsIdArgument = described(text, 'The `id` of the news event, from a result of another tool.');

export const marketIdArgument = described(
  text,
  'The `sub_market_id` of one market, from an item. Not the `market_id` of a main market.',
);

export const countArgument = (what: string): JsonSchema => ({
  type: 'integer',
  minimum: 1,
  maximum: RESULT_ITEMS_MAX,
  default: RESULT_ITEMS_DEFAULT,
  description: `The most ${what} of the result. It can have fewer, because it has at most ${RESULT_BYTES_MAX / 1_024} KB.`,
});

export const cursorArgument = described(
  text,
  'The `next_cursor` of the last result, unchanged, to read the next, older items with the same other arguments.',
);

export const afterArgument = described(
  text,
  'Where to continue: the `position` of the last result of `watch_market`, or a `feed_position`. Without it, the result has no changes and only the position of now.',
);

const tooLarge = (more: Properties): JsonSchema =>
  described(
    arrayOf(
      closed({
        news_id: described(text, 'The id of the news event.'),
        bytes: described(integer, 'The size of the item as JSON.'),
        ...more,
      }),
    ),
    `Items that are left out of this result because each of them alone has more than ${RESULT_BYTES_MAX / 1_024} KB. The REST API has them.`,
  );

const feedPosition = described(
  orNull(writtenPosition),
  'Where the feed was when this was read: the `after` of `watch_market`. Of several pages, use that of the first one.',
);

/** The results of the tools. */
const RESULTS = {
  page: closed({
    items: described(arrayOf(ref('FeedItem')), 'The items, newest first.'),
    next_cursor: described(
      orNull(writtenMoment),
      'Call the tool again with this `cursor` to read older items. Null: there are no more.',
    ),
    feed_position: feedPosition,
    too_large: tooLarge({}),
  }),
  item: closed({ item: described(ref('FeedItem'), 'The item.'), feed_position: feedPosition }),
  changes: closed({
    messages: described(
      arrayOf({ oneOf: [ref('StreamItem'), ref('StreamRetraction')] }),
      'The changes, in their order: `item` is new or replaces the one with the same id; `retraction` removes it.',
    ),
    position: described(writtenPosition, 'The `after` of the next call.'),
    more: described(boolean, 'Whether there can be further changes already: then call again at once.'),
    too_large: tooLarge({}),
  }),
  usage: schemas['Usage'],
} as const;

export type ResultName = keyof typeof RESULTS;

const REFERENCE = '#/components/schemas/';

/**
 * The schema of a result, complete in itself: everything that it refers to is in `$defs`. It is open for later versions,
 * because clients keep it, and validate with it. `isDescribed` is false where another tool describes the same fields: a
 * client gets all schemas at once, and they would be four times as long.
 */
export function resultSchema(name: ResultName, isDescribed: boolean): JsonSchema {
  const definitions: Record<string, unknown> = {};
  const moved = (schema: unknown, isShort: boolean): unknown =>
    JSON.parse(JSON.stringify(schema), (key, value) => {
      if (isShort && key === 'description' && typeof value === 'string') return undefined;
      if (key !== '$ref' || typeof value !== 'string' || !value.startsWith(REFERENCE)) return value;
      const target = value.slice(REFERENCE.length);
      if (!Object.hasOwn(definitions, target)) {
        definitions[target] = null; // A schema that refers to itself ends here.
        definitions[target] = moved(publishedOutput(ownValue(schemas, target)), !isDescribed);
      }
      return `#/$defs/${target}`;
    });
  return { ...(moved(publishedOutput(RESULTS[name]), false) as JsonSchema), $defs: definitions };
}
