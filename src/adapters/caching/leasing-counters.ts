import { type MaybePromise, orElse } from '../../application/maybe-promise.js';
import type { Counters, Taken } from '../../application/ports/limits/counters.js';
import { leaseSize } from '../../domain/limits/lease.js';
import type { Permit } from '../../domain/limits/rate-limit.js';

/** How old a lease may become; what is not used by then is given back. Others may be refused for that long. */
const LIFE_MS = 500;
const LOOK_EVERY_MS = 100;
/** A subject that is asked for less often takes each place by itself: its headers stay exact. */
const BUSY_PER_LOOK = 10;
/** A lease is meant to last about so many looks. */
const LOOKS_PER_LEASE = 2;
const SUBJECTS_MAX = 10_000;

type Lease = {
  /** As they were last asked for: what is given back goes where it came from. */
  permits: readonly Permit[];
  /** What all instances have taken together, this lease counted in, when that was last heard. */
  counts: readonly number[];
  /** Places of the lease that are not used yet. */
  unused: number;
  /** With fewer unused it is time to refill. */
  refillBelow: number;
  /** Requests since the last look, and in the one before it. */
  requests: number;
  requestsBefore: number;
  usedAt: number;
  /** Null while each request takes its place by itself. */
  refilledAt: number | null;
  refilling: Promise<void> | null;
};

/**
 * Counters that take places in advance for subjects that are asked for often, and give them away without a call.
 *
 * Never one too many: a place is given away here only after it was taken there. What is not used within `LIFE_MS` is
 * given back, at the end of the process too; until then another instance may be refused a place that is free.
 */
export class LeasingCounters implements Counters {
  readonly #shared: Counters;
  readonly #now: () => number;
  readonly #leases = new Map<string, Lease>();
  readonly #timer: NodeJS.Timeout;

  /** `now` is a clock of milliseconds that only goes forward. */
  constructor(shared: Counters, now: () => number = () => performance.now()) {
    this.#shared = shared;
    this.#now = now;
    this.#timer = setInterval(() => this.peek(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  take(permits: readonly Permit[], upTo: number): MaybePromise<Taken> {
    const lease = this.#leases.get(nameOf(permits));
    // Without places of its own it knows only what was said last, and others have taken some since.
    if (upTo === 0 && lease !== undefined && lease.unused > 0) return takenFrom(lease, 0);
    if (upTo !== 1) return this.#shared.take(permits, upTo);
    if (lease === undefined) return this.#first(permits);
    lease.requests += 1;
    lease.usedAt = this.#now();
    if (lease.unused > 0) return this.#use(lease);
    return this.#refilled(lease, permits);
  }

  /** A place that cost nothing goes back to the lease that it came from, while there is one. */
  giveBack(permits: readonly Permit[], n: number): MaybePromise<void> {
    const lease = this.#leases.get(nameOf(permits));
    if (lease === undefined || lease.refilledAt === null) return this.#shared.giveBack(permits, n);
    lease.unused += n;
  }

  /** Gives back what was not used in time, and forgets subjects that nobody asks for. */
  peek(): void {
    const idleSince = this.#now() - LIFE_MS;
    for (const [name, lease] of this.#leases) {
      lease.requestsBefore = lease.requests;
      lease.requests = 0;
      if (lease.refilling !== null) continue;
      const isIdle = lease.usedAt <= idleSince;
      if (isIdle) this.#leases.delete(name);
      if (isIdle || (lease.refilledAt ?? idleSince) <= idleSince) void this.#return(lease);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const leases = [...this.#leases.values()];
    this.#leases.clear();
    await Promise.all(
      leases.map(async (lease) => {
        await lease.refilling;
        await this.#return(lease);
      }),
    );
  }

  /** The first request of a subject takes its place by itself, and begins to count how often it is asked for. */
  async #first(permits: readonly Permit[]): Promise<Taken> {
    const taken = await this.#shared.take(permits, 1);
    const name = nameOf(permits);
    if (this.#leases.size < SUBJECTS_MAX && !this.#leases.has(name)) {
      const fresh = {
        permits,
        counts: taken.counts,
        unused: 0,
        refillBelow: 0,
        requests: 1,
        requestsBefore: 0,
      };
      this.#leases.set(name, { ...fresh, usedAt: this.#now(), refilledAt: null, refilling: null });
    }
    return taken;
  }

  #use(lease: Lease): Taken {
    lease.unused -= 1;
    // Before it runs out, so that nobody has to wait.
    if (lease.unused < lease.refillBelow) this.#refill(lease);
    return takenFrom(lease, 1);
  }

  async #refilled(lease: Lease, permits: readonly Permit[]): Promise<Taken> {
    if (this.#sizeOf(lease) === 1 && lease.refilling === null) {
      lease.refilledAt = null;
      const taken = await this.#shared.take(permits, 1);
      if (lease.unused === 0) lease.counts = taken.counts;
      return taken;
    }
    this.#refill(lease);
    await lease.refilling;
    if (lease.unused > 0) return this.#use(lease);
    // Those who waited before this one have used it up, or there is nothing more: asked alone, the answer is exact.
    return this.#shared.take(permits, 1);
  }

  #refill(lease: Lease): void {
    const size = this.#sizeOf(lease);
    if (lease.refilling !== null || size === 1) return;
    const permits = [...lease.permits];
    const refill = async () => {
      const { granted, counts } = await this.#shared.take(permits, size);
      lease.permits = permits;
      lease.unused += granted;
      lease.refillBelow = size / 4;
      lease.counts = counts;
      lease.refilledAt = this.#now();
    };
    lease.refilling = refill()
      .catch(() => {}) // Who needs a place asks for it, and hears of it.
      .finally(() => {
        lease.refilling = null;
      });
  }

  /** As much as the last looks say will be needed; 1 for a subject that is asked for now and then. */
  #sizeOf({ permits, counts, requests, requestsBefore }: Lease): number {
    const busiest = Math.max(requests, requestsBefore);
    if (busiest < BUSY_PER_LOOK) return 1;
    const standings = permits.map(({ capacity }, i) => ({ capacity, count: counts[i] ?? 0 }));
    return leaseSize(standings, busiest * LOOKS_PER_LEASE);
  }

  async #return(lease: Lease): Promise<void> {
    const { permits, unused } = lease;
    if (unused === 0) return;
    lease.unused = 0;
    lease.counts = lease.counts.map((count) => count - unused);
    await orElse(
      () => this.#shared.giveBack(permits, unused),
      () => {},
    );
  }
}

/** Names of lists by their first place: requests of one second ask with the same places, and a name is long. */
const names = new WeakMap<Permit, { readonly permits: readonly Permit[]; readonly name: string }>();

function nameOf(permits: readonly Permit[]): string {
  const [first] = permits;
  const known = first === undefined ? undefined : names.get(first);
  if (known !== undefined && areSame(known.permits, permits)) return known.name;
  const name = permits.map(({ counter }) => counter).join(' ');
  if (first !== undefined) names.set(first, { permits, name });
  return name;
}

function areSame(some: readonly Permit[], others: readonly Permit[]): boolean {
  for (let i = 0; i < others.length; i += 1) if (some[i] !== others[i]) return false;
  return some.length === others.length;
}

/** What is taken, without what of this lease is still to be given away. */
const takenFrom = ({ counts, unused }: Lease, granted: number): Taken => ({
  granted,
  counts: counts.map((count) => count - unused),
});
