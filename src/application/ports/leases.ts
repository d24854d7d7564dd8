import type { Moment } from '../../domain/moment.js';

/**
 * A lease of a job. The checkpoint is the position that the job reached in its last run; null before the first run. The
 * token tells this lease from earlier and later ones of the same job. The holder works by the time `now`: that of its call,
 * bounded by the clock of the store (D5).
 */
export type Lease = {
  readonly job: string;
  readonly checkpoint: Moment | null;
  readonly token: string;
  readonly now: Moment;
};

/**
 * Leases of background jobs that run repeatedly, on one instance at a time.
 *
 * What every adapter guarantees:
 * - a lease is exclusive from `acquire` to `release` or `abandon`; the lease of a killed instance expires;
 * - a lease is granted when the job is due, or at any time if `isForced`;
 * - a store of several instances has a clock of its own: a `now` more than `CLOCK_TOLERANCE` ahead of it counts as that limit;
 * - only its holder ends a lease: after it has expired and another caller has the lease, `release` and `abandon` with the
 *   old one change nothing.
 */
export interface Leases {
  /** Null if another instance has the lease, or if the job is not due. */
  acquire(job: string, now: Moment, isForced: boolean): Promise<Lease | null>;
  release(lease: Lease, checkpoint: Moment | null, nextAt: Moment): Promise<void>;
  /** Ends the lease after a failed run: the checkpoint and the next due time do not change. */
  abandon(lease: Lease): Promise<void>;
}
