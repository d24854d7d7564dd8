import type { KeyId } from '../../../domain/keys/api-key.js';
import type { StatusClass, UsageCount } from '../../../domain/limits/usage.js';
import type { Moment } from '../../../domain/moment.js';

/**
 * The requests of accounts, as `UsageHistory` has counted them.
 *
 * What every adapter guarantees:
 * - both have the counts of all keys of the account of `key`, also of revoked and of closed ones, of hours that begin at or after
 *   `from`. There are none for an unknown key;
 * - they have what an instance noted a few seconds ago, or earlier;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface AccountUsage {
  /** Their sums. */
  since(key: KeyId, from: Moment): Promise<Readonly<Record<StatusClass, number>>>;
  /** Each key, hour and class at most once, unordered. */
  hours(key: KeyId, from: Moment): Promise<readonly UsageCount[]>;
}
