import type { JsonSchema } from '../schema/json-schema.js';
import { header } from './operations.js';

/** The headers of every response of the public listener (D33, D36, D38). */
export const commonHeaders: JsonSchema = {
  'X-Request-Id': header('Identifies this request in the log.'),
  'RateLimit-Policy': header(
    'The policies: name, quota `q`, window `w` in seconds. An answer for which no key is looked up has the policy `anonymous` of the client address, not the limits of a key: 404, 405, 414, 431, OPTIONS, and each call without a key.',
  ),
  RateLimit: header('The state of each policy: `r` requests are left, and the window ends in `t` seconds.'),
  'X-RateLimit-Limit': header('Quota of the policy with the fewest requests left.', { type: 'integer' }),
  'X-RateLimit-Remaining': header('Requests left in this quota.', { type: 'integer' }),
  'X-RateLimit-Reset': header('End of the window of this quota, in Unix seconds.', { type: 'integer' }),
};

/** The headers of every problem document of the public listener. */
export const problemHeaders: JsonSchema = {
  ...commonHeaders,
  Link: header('Links to this document, to the documentation and to the status of the service (RFC 8631).'),
};

const ignoredHeader = {
  'Ignored-Parameters': header(
    'The names of the parameters of the request that this call does not know, and has ignored: sorted, separated by commas, at most 10. Only in answers to a known key, and only if there are any. Names longer than 32 characters, with characters other than `A-Z a-z 0-9 _ . -`, and those that look like a key are left out.',
  ),
};

/** The header of answers that a filter has chosen (D65). */
export const filtersHeader = {
  'Feed-Filters': header(
    'The names of the filters of the request that were honoured, sorted, separated by commas. Absent without filters, and from earlier versions of the service, which ignore filters that they do not know.',
  ),
};

/** The headers of the answers of every route that needs a key (D13). */
export const keyHeaders: JsonSchema = { ...commonHeaders, ...ignoredHeader };

/** The headers of their problem documents. */
export const keyProblemHeaders: JsonSchema = { ...problemHeaders, ...ignoredHeader };

/** The errors of every route that needs a key. */
export const keyErrors = {
  401: 'The key is missing, unknown or revoked.',
  402: 'The key or its subscription is suspended. Paying per request does not restore access.',
  403: 'The key does not have the scope events.read.',
};

/** The errors of every read-only route. */
export const readErrors = {
  405: 'Only GET, HEAD and OPTIONS are allowed.',
  414: 'The query string is longer than 4096 bytes.',
  431: 'The request header is too large.',
};

/** What every call with a key can answer. Pages answer HEAD too. */
export const paidErrors = {
  ...keyErrors,
  ...readErrors,
  405: 'Only GET and OPTIONS are allowed.',
  500: 'Internal error. Does not use quota.',
};
