import type { Moment } from '../../domain/moment.js';

/** The checkpoint is how far the job got in its last run; null before the first run. */
export type Lease = { readonly checkpoint: Moment | null };

/**
 * Leases of background jobs that run repeatedly, on one instance at a time.
 *
 * What each adapter keeps:
 * - a lease is exclusive from `acquire` to `release` or `abandon`; the lease of an owner that died is soon free again;
 * - a lease is granted once the job is due, or at any time if the caller insists.
 */
export interface Leases {
  /** Null if another instance has the lease, or if the job is not due. */
  acquire(job: string, now: Moment, isForced: boolean): Promise<Lease | null>;
  release(job: string, checkpoint: Moment | null, nextAt: Moment): Promise<void>;
  /** Ends the lease without a result: the checkpoint stays, and the job is due as before. */
  abandon(job: string): Promise<void>;
}
