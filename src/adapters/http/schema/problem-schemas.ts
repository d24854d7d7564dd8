import { SUSPENSION_CAUSES } from '../../../domain/keys/suspension.js';
import { faultKinds } from '../answer/fault-kinds.js';
import { problemCodes } from '../answer/problem.js';
import type { Reader } from '../answer/readers.js';
import {
  arrayOf,
  closed,
  described,
  integer,
  orNull,
  type Properties,
  ref,
  text,
  url,
} from './json-schema.js';
import { writtenMoment } from './moment-schemas.js';
import { writtenPosition } from './position-schemas.js';

/** Problem documents (RFC 9457, D32), with the codes that these readers can get. */
export const problemSchemas = (...readers: readonly Reader[]): Properties => ({
  Problem: closed(
    {
      type: described(url, 'The page that explains this code.'),
      title: described(text, 'The problem, in a few words.'),
      status: described(integer, 'The HTTP status of the response.'),
      detail: described(text, 'What to do about it, for people. The text may change.'),
      instance: described(text, 'The path of the request, without its query.'),
      code: described(
        { enum: codesOf(readers, problemCodes) },
        'The stable code of the problem. Programs decide by it. The chapter *Errors* explains each.',
      ),
      request_id: described(text, 'The id of the request, for questions to support.'),
    },
    {
      errors: described(arrayOf(ref('Fault')), 'On 400: everything that is not valid.'),
      causes: described(
        arrayOf({ enum: SUSPENSION_CAUSES }),
        'On 402: why the key is suspended. Empty if the subscription is the reason.',
      ),
      violated_policies: described(
        arrayOf(text),
        'On 429: the names of the limits that are used up. Empty for `too_many_streams` and `too_many_reads`.',
      ),
      feed_head: described(
        orNull(writtenMoment),
        'On 410: the latest scored_at ever assigned. Null while the feed is empty.',
      ),
      history_from: described(
        closed({
          position: described(writtenPosition, 'The position of that change. Send it as `as_of` or `after`.'),
          known_at: described(writtenMoment, 'When that change became known.'),
        }),
        'On 410 `before_history`: the change at which the history begins, and when it became known.',
      ),
    },
  ),
  Fault: closed({
    parameter: described(text, 'The parameter or header, or the JSON pointer into the body.'),
    code: described(
      { enum: codesOf(readers, faultKinds) },
      'What kind of error it is. Programs decide by it.',
    ),
    message: described(text, 'What is valid.'),
  }),
});

const codesOf = (readers: readonly Reader[], codes: (reader: Reader) => readonly string[]) => [
  ...new Set(readers.flatMap(codes)),
];
