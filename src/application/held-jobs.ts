import { mayStillWork } from '../domain/held-lease.js';
import type { HeldLeases } from './ports/held-leases.js';
import type { MonotonicClock } from './ports/monotonic-clock.js';
import type { Secrets } from './ports/secrets.js';

/** The job of delivering to destinations: the store records the steps of the holder of its lease only. */
export const DELIVERING = 'deliver to destinations';

/** The jobs that one instance does at a time, all the time. A process that cannot do one must not hold its lease. */
export type HeldJob = typeof DELIVERING | 'project markets';

/** The jobs that this process does because it holds their leases (D65). `renew` is called each second. */
export class HeldJobs {
  readonly #leases: HeldLeases;
  readonly #now: MonotonicClock;
  readonly #jobs: readonly HeldJob[];
  /** How often each job was acquired. */
  readonly #terms = new Map<HeldJob, number>();
  readonly holder: string;
  #held: ReadonlySet<string> = new Set();
  #renewedAt: number | null = null;

  constructor({
    heldLeases,
    monotonicClock,
    secrets,
    jobs,
  }: {
    readonly heldLeases: HeldLeases;
    readonly monotonicClock: MonotonicClock;
    readonly secrets: Pick<Secrets, 'make'>;
    readonly jobs: readonly HeldJob[];
  }) {
    this.#leases = heldLeases;
    this.#now = monotonicClock;
    this.#jobs = jobs;
    this.holder = secrets.make();
  }

  async renew(): Promise<void> {
    const begunAt = this.#now();
    const renewed = await this.#leases.renew(this.holder, this.#jobs);
    // Another process may have had a job since it was held last.
    for (const job of this.#jobs) if (!this.holds(job)) this.#terms.set(job, (this.#terms.get(job) ?? 0) + 1);
    this.#held = renewed;
    this.#renewedAt = begunAt;
  }

  holds(job: HeldJob): boolean {
    return this.#held.has(job) && mayStillWork(this.#renewedAt, this.#now());
  }

  /** Tells each time apart that this process has acquired a job; null while it does not have it. */
  term(job: HeldJob): number | null {
    return this.holds(job) ? (this.#terms.get(job) ?? 0) : null;
  }

  /** Another process has the jobs at once, and not only after the leases end. */
  async release(): Promise<void> {
    this.#held = new Set();
    await this.#leases.release(this.holder);
  }
}
