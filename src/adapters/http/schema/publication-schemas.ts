import { ITEM_NUMBER_RANGES, type NumberRange } from '../../../domain/feed/item-number-ranges.js';
import { ownValue } from '../../../domain/own-value.js';
import {
  endpointPublishedAt,
  momentumMembers,
  newsEvent,
  newsMembers,
  relatedMarket,
  snapshotMembers,
  subMarket,
} from './feed-schemas.js';
import {
  arrayOf,
  closed,
  described,
  id,
  integer,
  orNull,
  type Properties,
  ref,
  text,
} from './json-schema.js';
import { readMoment, writtenMoment } from './moment-schemas.js';
import { writtenPosition } from './position-schemas.js';

const ownScoredAt = (what: string) =>
  described(readMoment, `The time at which the ${what} was scored. Absent: the time of publication.`);

const RANGES_OF_SNAPSHOT: Readonly<Record<string, NumberRange>> = {
  yes_ask: ITEM_NUMBER_RANGES.ask,
  no_ask: ITEM_NUMBER_RANGES.ask,
  volume_24h: ITEM_NUMBER_RANGES.volume,
  total_volume: ITEM_NUMBER_RANGES.volume,
  yes_tick_age_seconds: ITEM_NUMBER_RANGES.tickAge,
  no_tick_age_seconds: ITEM_NUMBER_RANGES.tickAge,
};

/** Numbers in ranges. Answers have none: items that were stored before the ranges are served too. */
const within = (ranges: Readonly<Record<string, NumberRange>>, properties: Properties): Properties =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, { ...schema, ...ownValue(ranges, name) }]),
  );

/** The same records in the form that publishers send (D30, D41). */
export const publicationSchemas: Properties = {
  Publication: closed(newsMembers('PublicationNewsEvent', 'PublicationRelatedMarket'), {
    scored_at: ownScoredAt('item'),
  }),
  PublicationNewsEvent: closed(newsEvent(readMoment), {
    endpoint_published_at: described(
      readMoment,
      `${endpointPublishedAt} Read with \`mode=backfill\` only; absent: now. In live mode it is the time of the first publication.`,
    ),
  }),
  PublicationRelatedMarket: relatedMarket('PublicationSubMarket'),
  PublicationSubMarket: closed(subMarket('PublicationMarketSnapshot', 'PublicationMomentum'), {
    scored_at: ownScoredAt('sub-market'),
  }),
  PublicationMarketSnapshot: closed(within(RANGES_OF_SNAPSHOT, snapshotMembers)),
  PublicationMomentum: closed(within({ pre_move_pp: ITEM_NUMBER_RANGES.move }, momentumMembers)),
  PublishingReport: closed(
    {
      accepted: described(integer, 'The number of items that were stored.'),
      unchanged: described(
        integer,
        'The number of items that are in the feed already with the same body. They keep their places.',
      ),
      rejected: described(arrayOf(ref('RejectedLine')), 'The items that were not stored.'),
    },
    {
      unlisted: described(
        integer,
        'Number of rejected lines that are not listed. Absent when all are listed.',
      ),
      dry_run: described(
        { const: true },
        'Nothing was stored: the report says what would become of the items. Absent if it was no dry run.',
      ),
    },
  ),
  ItemState: closed({
    id: described(id, 'The id of the news event.'),
    state: described(
      { enum: ['published', 'retracted', 'purged'] },
      'Whether the feed has the item now. `retracted`: it was taken back. `purged`: its texts were erased too.',
    ),
    revision: described(
      orNull(integer),
      'How often the id has changed, retractions included. Null for an id that is older than the history.',
    ),
    position: described(
      orNull(writtenPosition),
      'The position of the last change of the id in the history. Null if the change is older than the history.',
    ),
    known_at: described(
      orNull(writtenMoment),
      'When the last change became known, by the clock of the database. Null if it is older than the history.',
    ),
    scored_at: described(
      orNull(writtenMoment),
      'The time by which the feed orders the item. After a retraction, the last one; null if it is not known.',
    ),
    endpoint_published_at: described(
      orNull(writtenMoment),
      'The time of the first publication. A correction keeps it. Null if the feed does not have the item.',
    ),
    item: described(
      { type: ['object', 'null'] },
      'The item, as pages have it: `FeedItem` in the document of the public listener. Null if the feed does not have it.',
    ),
  }),
  RejectedLine: closed({
    line: described(integer, 'The number of the line, or of the element of the array, from 1.'),
    id: described(orNull(text), 'The id of the news event. Null if it cannot be read.'),
    errors: described(arrayOf(ref('Fault')), 'Everything that is wrong with it, at most 20 errors.'),
  }),
};
