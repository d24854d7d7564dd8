import type { HeldLeases } from '../../application/ports/held-leases.js';

/** Leases within one process. They do not expire: their holder lives as long as this process. */
export class MemoryHeldLeases implements HeldLeases {
  readonly #holders = new Map<string, string>();

  async renew(holder: string, jobs: readonly string[]): Promise<ReadonlySet<string>> {
    for (const job of jobs) if (!this.#holders.has(job)) this.#holders.set(job, holder);
    return new Set(jobs.filter((job) => this.#holders.get(job) === holder));
  }

  isHeld(job: string, holder: string): boolean {
    return this.#holders.get(job) === holder;
  }

  async release(holder: string): Promise<void> {
    for (const [job, own] of this.#holders) if (own === holder) this.#holders.delete(job);
  }
}
