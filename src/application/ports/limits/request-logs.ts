import type { KeyId } from '../../../domain/keys/api-key.js';
import type { LoggedRequest } from '../../../domain/limits/request-log.js';
import type { Moment } from '../../../domain/moment.js';

/**
 * The last requests of each key, for its owner (D74).
 *
 * What every adapter guarantees:
 * - `of` returns those requests of a key that `keptRequests` names, of all instances, since a time;
 * - requests of keys that do not exist, and of deleted accounts, are not stored;
 * - more than that is stored for a short time only. Requests older than a day are deleted some time later (`ExpiredRows`);
 * - a store that cannot answer in time throws `Unavailable`. Then the requests may be lost.
 */
export interface RequestLogs {
  /** Stores answered requests, at most `REQUESTS_PER_WRITE` of them. */
  add(requests: readonly LoggedRequest[]): Promise<void>;
  /** Newest first. */
  of(keys: readonly KeyId[], since: Moment): Promise<readonly LoggedRequest[]>;
}
