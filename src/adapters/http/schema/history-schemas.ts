import {
  arrayOf,
  boolean,
  closed,
  described,
  id,
  integer,
  orNull,
  type Properties,
  ref,
} from './json-schema.js';
import { writtenMoment } from './moment-schemas.js';
import { writtenPosition } from './position-schemas.js';

/** The history of the feed (D61). */
export const historySchemas: Properties = {
  HistoryChange: closed(
    {
      position: described(writtenPosition, 'The position of the change. Send it as `after`, or as `as_of`.'),
      kind: described(
        { enum: ['published', 'replaced', 'retracted', 'purged'] },
        'What happened. After `retracted` and `purged` the feed has no item with this id.',
      ),
      known_at: described(
        writtenMoment,
        'When the change became known, by the clock of the database. It never falls from one change to the next.',
      ),
      scored_at: described(
        orNull(writtenMoment),
        'The time by which the feed orders the item. For a retraction, that of the item; null if it is not known.',
      ),
      id: described(id, 'The id of the news event.'),
      revision: described(
        orNull(integer),
        'How often the id has changed, this change included. Null for an id that is older than the history.',
      ),
      item: described(
        { oneOf: [ref('FeedItem'), { type: 'null' }] },
        'The version that the change brought, exactly as pages had it. Null for a retraction, for a version that was purged, and for a replacement that does not pass the filter.',
      ),
    },
    { missing: described({ const: true }, 'The version was never stored.') },
  ),
  HistoryPage: closed({
    changes: described(arrayOf(ref('HistoryChange')), 'The changes in the order of the log, oldest first.'),
    position: described(
      writtenPosition,
      'The last change that was read. Send it as `after` for the next page.',
    ),
    complete: described(boolean, 'Whether the range ends here.'),
  }),
  HistoryProgress: closed({
    type: described({ const: 'progress' }, 'A line in place of changes that the filter does not pass.'),
    position: described(
      writtenPosition,
      'Everything up to it was read. Continue with it after a lost connection.',
    ),
  }),
  HistoryComplete: closed({
    type: described({ const: 'complete' }, 'The last line of lines that have their whole range.'),
    position: described(writtenPosition, 'The end of the range. Send it as `after` to get later changes.'),
  }),
  HistoryPaused: closed({
    type: described({ const: 'paused' }, 'The last line of lines that end before their range.'),
    position: described(writtenPosition, 'Continue with this position as `after`.'),
    retry_after_seconds: described(
      orNull(integer),
      'Wait this long, in seconds, before you continue. Null: you would be refused again.',
    ),
    problem: described(
      { oneOf: [ref('Problem'), { type: 'null' }] },
      'Why the lines end. Null: the service needs the connection.',
    ),
  }),
};
