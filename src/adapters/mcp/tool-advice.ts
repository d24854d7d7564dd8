import { ownValue } from '../../domain/own-value.js';

const TELL_USER = 'Do not repeat the call. Tell the user what `detail` says: only the user can change this.';
const LATER = 'Wait `retry_after_seconds`, or a second if it is absent, and repeat the call.';

/** What an agent does after an error, by the code of the error. */
const ADVICE: Readonly<Record<string, string>> = {
  invalid_parameter:
    'Correct each argument in `errors`: its `message` says what is valid. Then repeat the call.',
  uri_too_long: 'Send shorter arguments, or fewer of them.',
  news_not_found:
    'Take ids from `search_news` or `news_for_market`. An item that was retracted is no longer available.',
  market_not_found:
    'Call `find_markets` with words of its title as `q`, or with its URL as `ref`. Take the `market_id` of a market of the kind `sub`.',
  item_too_large: 'Tell the user: the REST API has the item under GET /pm/v2/news?news_id=<news_id>.',
  before_history: 'Call again with the time in `history_from.known_at`, or a later one.',
  position_expired:
    'Call `news_for_market` until `next_cursor` is null, replace what you know by its items, and then call `watch_market` with `after` = the `feed_position` of its first result.',
  rate_limited:
    'Wait `retry_after_seconds`, then repeat the call. `usage` costs nothing and shows what is left.',
  too_many_reads: LATER,
  too_many_streams: LATER,
  overloaded: LATER,
  unavailable: LATER,
  internal: `${LATER} If it happens again, tell the user the \`request_id\`.`,
  unreachable: 'Tell the user that the service cannot be reached. Repeat the call later.',
  key_missing: TELL_USER,
  key_unknown: TELL_USER,
  key_revoked: TELL_USER,
  key_suspended: TELL_USER,
  payment_required: TELL_USER,
  subscription_incomplete: TELL_USER,
  subscription_paused: TELL_USER,
  address_not_allowed: TELL_USER,
  insufficient_scope: TELL_USER,
};

/** What to do after an error with this code, in words for an agent. */
export const adviceOn = (code: string): string => ownValue(ADVICE, code) ?? TELL_USER;
