import type { KeyId } from '../../../domain/keys/api-key.js';
import type { UsageCount } from '../../../domain/limits/usage.js';
import type { Moment } from '../../../domain/moment.js';

/**
 * The number of answered requests, by key, hour and status class.
 *
 * What every adapter guarantees:
 * - `note` is cheap and never fails a request. While the store is unavailable, notes wait in memory; an instance that
 *   dies loses the notes of its last seconds;
 * - the counts of all instances are added. An instance sees its own counts at once, and those of others a little later;
 * - counts are kept for 31 days; older ones are deleted some time later (`ExpiredRows`), or when newer hours are counted;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface UsageHistory {
  /** Counts one request with this key, answered with this status. */
  note(key: KeyId, status: number, at: Moment): void;
  /** The counts of these keys, of hours that begin at or after `since`: each key, hour and class at most once, unordered. */
  of(keys: readonly KeyId[], since: Moment): Promise<readonly UsageCount[]>;
}
