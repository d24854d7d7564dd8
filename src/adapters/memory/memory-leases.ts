import type { Lease, Leases } from '../../application/ports/leases.js';
import type { Moment } from '../../domain/moment.js';

/** Leases within one process. They do not expire: their holder lives as long as this process. */
export class MemoryLeases implements Leases {
  readonly #jobs = new Map<string, { checkpoint: Moment | null; dueAt: Moment | null; isTaken: boolean }>();

  async acquire(work: string, now: Moment, isForced: boolean): Promise<Lease | null> {
    const known = this.#jobs.get(work) ?? { checkpoint: null, dueAt: null, isTaken: false };
    const isDue = isForced || known.dueAt === null || known.dueAt <= now;
    if (known.isTaken || !isDue) return null;
    this.#jobs.set(work, { ...known, isTaken: true });
    return { checkpoint: known.checkpoint };
  }

  async release(work: string, checkpoint: Moment | null, nextAt: Moment): Promise<void> {
    this.#jobs.set(work, { checkpoint, dueAt: nextAt, isTaken: false });
  }

  async abandon(work: string): Promise<void> {
    const known = this.#jobs.get(work);
    if (known !== undefined) this.#jobs.set(work, { ...known, isTaken: false });
  }
}
