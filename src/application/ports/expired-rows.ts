import type { ExpiringTable, Expiry } from '../../domain/retention.js';

/**
 * Deletes rows that need not be kept any longer (`domain/retention.ts`).
 *
 * What every adapter guarantees:
 * - it deletes rows whose time is at or before `until`, the oldest first, at most `count` of them, and no others. The
 *   newest `newestKept` rows of a change log stay, and always the newest one;
 * - from a change log it deletes only changes without an older one that is kept: a reader cannot miss a change in between;
 * - rows whose work is not done stay: waiting notices, waiting and failed payment events;
 * - no request waits for a lock of it: one call is one short transaction, and rows that others have locked are skipped;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface ExpiredRows {
  /** Returns the number of deleted rows. Fewer than `count` means that nothing is left to delete now. */
  delete(table: ExpiringTable, expiry: Expiry, count: number): Promise<number>;
}
