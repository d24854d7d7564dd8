import type { Moment } from '../../domain/moment.js';

/** The checkpoint is the position that the job reached in its last run; null before the first run. */
export type Lease = { readonly checkpoint: Moment | null };

/**
 * Leases of background jobs that run repeatedly, on one instance at a time.
 *
 * What every adapter guarantees:
 * - a lease is exclusive from `acquire` to `release` or `abandon`; the lease of a killed instance expires;
 * - a lease is granted when the job is due, or at any time if `isForced`.
 */
export interface Leases {
  /** Null if another instance has the lease, or if the job is not due. */
  acquire(job: string, now: Moment, isForced: boolean): Promise<Lease | null>;
  release(job: string, checkpoint: Moment | null, nextAt: Moment): Promise<void>;
  /** Ends the lease after a failed run: the checkpoint and the next due time do not change. */
  abandon(job: string): Promise<void>;
}
