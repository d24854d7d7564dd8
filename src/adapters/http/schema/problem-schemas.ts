import { SUSPENSION_CAUSES } from '../../../domain/keys/suspension.js';
import { arrayOf, closed, code, integer, orNull, type Properties, ref, text } from './json-schema.js';
import { writtenMoment } from './moment-schemas.js';

/** Problem documents (RFC 9457, D32). */
export const problemSchemas: Properties = {
  Problem: closed(
    { type: text, title: text, status: integer, detail: text, instance: text, code, request_id: text },
    {
      errors: arrayOf(ref('Fault')),
      causes: arrayOf({ enum: SUSPENSION_CAUSES }),
      violated_policies: arrayOf(text),
      feed_head: orNull(writtenMoment),
    },
  ),
  Fault: closed({ parameter: text, code, message: text }),
};
