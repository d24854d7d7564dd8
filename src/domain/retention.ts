import { REQUESTS_KEPT } from './limits/request-log.js';
import { USAGE_KEPT } from './limits/usage.js';
import { DAY, type Duration, type Moment, plus } from './moment.js';

/** The tables whose rows expire, in the order in which expired rows are deleted. The audit log never expires (D25). */
export const EXPIRING_TABLES = [
  'one_time_token',
  'session',
  'usage',
  'notice',
  'payment_event',
  'account_change',
  'destination_delivery',
  'request_log',
] as const;
export type ExpiringTable = (typeof EXPIRING_TABLES)[number];

/**
 * How long the rows of a table are kept, counted from the time that `docs/operations.md` names for each table. Rows
 * whose work is not done have no such time yet: a waiting notice, a waiting or failed payment event.
 *
 * - `one_time_token`, `session`: until they expire.
 * - `notice`: 30 days after the last attempt to send it, whatever its outcome was. Until then no notice is sent twice
 *   for one occasion.
 * - `payment_event`: 90 days after it was applied or ignored. The processor lists events for 30 days, so it does not
 *   report a deleted event again (D29).
 * - `usage`: one day more than the longest span that is shown.
 * - `account_change`: the log that copies follow. A copy that has missed removed changes is built anew. The log of the feed
 *   never expires (D59).
 * - `destination_delivery`: as long as tries are shown (D71).
 * - `request_log`: as long as requests are shown (D74).
 */
// biome-ignore format: a table is read by its columns
const KEPT: Readonly<Record<ExpiringTable, Duration>> = {
  one_time_token: 0,
  session:        0,
  usage:          USAGE_KEPT,
  notice:         30 * DAY,
  payment_event:  90 * DAY,
  account_change: DAY,
  destination_delivery: 7 * DAY,
  request_log:    REQUESTS_KEPT,
};

/** The newest rows that are kept whatever their age. Readers of a log compare its newest change with their own. */
const NEWEST_KEPT: Partial<Readonly<Record<ExpiringTable, number>>> = {
  account_change: 1,
};

/** Rows with their time at or before `until` have expired, except for the newest ones. */
export type Expiry = { readonly until: Moment; readonly newestKept: number };

export const expiryOf = (table: ExpiringTable, now: Moment): Expiry => ({
  until: plus(now, -KEPT[table]),
  newestKept: NEWEST_KEPT[table] ?? 0,
});
