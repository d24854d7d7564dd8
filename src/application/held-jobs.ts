import { mayStillWork } from '../domain/held-lease.js';
import type { HeldLeases } from './ports/held-leases.js';
import type { MonotonicClock } from './ports/monotonic-clock.js';
import type { Secrets } from './ports/secrets.js';

/** The job of delivering to destinations: the store records the steps of the holder of its lease only. */
export const DELIVERING = 'deliver to destinations';

/** The jobs that one instance does at a time, all the time. */
const HELD_JOBS = [DELIVERING, 'project markets'] as const;
export type HeldJob = (typeof HELD_JOBS)[number];

/** The jobs that this process does because it holds their leases (D65). `renew` is called each second. */
export class HeldJobs {
  readonly #leases: HeldLeases;
  readonly #now: MonotonicClock;
  readonly holder: string;
  #held: ReadonlySet<string> = new Set();
  #renewedAt: number | null = null;

  constructor({
    heldLeases,
    monotonicClock,
    secrets,
  }: {
    readonly heldLeases: HeldLeases;
    readonly monotonicClock: MonotonicClock;
    readonly secrets: Pick<Secrets, 'make'>;
  }) {
    this.#leases = heldLeases;
    this.#now = monotonicClock;
    this.holder = secrets.make();
  }

  async renew(): Promise<void> {
    const begunAt = this.#now();
    this.#held = await this.#leases.renew(this.holder, HELD_JOBS);
    this.#renewedAt = begunAt;
  }

  holds(job: HeldJob): boolean {
    return this.#held.has(job) && mayStillWork(this.#renewedAt, this.#now());
  }

  /** Another process has the jobs at once, and not only after the leases end. */
  async release(): Promise<void> {
    this.#held = new Set();
    await this.#leases.release(this.holder);
  }
}
