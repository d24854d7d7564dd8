import type { KeyId } from '../../../domain/keys/api-key.js';
import type { StatusClass } from '../../../domain/limits/usage.js';
import type { Moment } from '../../../domain/moment.js';

/**
 * The requests of accounts, as `UsageHistory` has counted them.
 *
 * What every adapter guarantees:
 * - `since` adds up the counts of all keys of the account of `key`, also of revoked and of closed ones, of hours that begin at or
 *   after `from`. They are 0 for an unknown key;
 * - it has what an instance noted a few seconds ago, or earlier;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface AccountUsage {
  since(key: KeyId, from: Moment): Promise<Readonly<Record<StatusClass, number>>>;
}
