import type { Moment } from '../../domain/moment.js';

/** How far a work came the last time; null before the first. */
export type Lease = { readonly checkpoint: Moment | null };

/**
 * Work that one instance does at a time, again and again.
 *
 * What each adapter keeps:
 * - nobody else has the turn between `take` and `done`, or `giveUp`; one whose owner died is free again soon;
 * - a turn is taken when it is due, or by who insists.
 */
export interface Leases {
  /** Null when another has the turn, or it is not due. */
  acquire(work: string, now: Moment, insists: boolean): Promise<Lease | null>;
  release(work: string, checkpoint: Moment | null, nextAt: Moment): Promise<void>;
  /** What was done counts for nothing; it is due as before. */
  abandon(work: string): Promise<void>;
}
