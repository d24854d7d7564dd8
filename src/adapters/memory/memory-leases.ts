import type { Lease, Leases } from '../../application/ports/leases.js';
import type { Moment } from '../../domain/moment.js';

type Job = {
  readonly checkpoint: Moment | null;
  readonly dueAt: Moment | null;
  readonly token: string | null;
};

/** Leases within one process. They do not expire: their holder lives as long as this process. */
export class MemoryLeases implements Leases {
  readonly #jobs = new Map<string, Job>();
  #granted = 0;

  async acquire(name: string, now: Moment, isForced: boolean): Promise<Lease | null> {
    const job = this.#jobs.get(name) ?? { checkpoint: null, dueAt: null, token: null };
    const isDue = isForced || job.dueAt === null || job.dueAt <= now;
    if (job.token !== null || !isDue) return null;
    this.#granted += 1;
    const token = String(this.#granted);
    this.#jobs.set(name, { ...job, token });
    return { job: name, checkpoint: job.checkpoint, token, now };
  }

  async release(lease: Lease, checkpoint: Moment | null, nextAt: Moment): Promise<void> {
    if (this.#held(lease) !== null) this.#jobs.set(lease.job, { checkpoint, dueAt: nextAt, token: null });
  }

  async abandon(lease: Lease): Promise<void> {
    const job = this.#held(lease);
    if (job !== null) this.#jobs.set(lease.job, { ...job, token: null });
  }

  /** Null if the lease has ended. */
  #held({ job: name, token }: Lease): Job | null {
    const job = this.#jobs.get(name);
    return job?.token === token ? job : null;
  }
}
