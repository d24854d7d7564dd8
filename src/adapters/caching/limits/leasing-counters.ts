import { andThen, type MaybePromise, orElse } from '../../../application/maybe-promise.js';
import type { Counters, Receipt, Taken } from '../../../application/ports/limits/counters.js';
import { permitLeaseSize } from '../../../domain/limits/permit-lease.js';
import { haveSameLimits, type Permit } from '../../../domain/limits/rate-limit.js';
import { RequestCounts } from './request-counts.js';

/** The age at which unused permits of a lease are given back. Until then other instances may be refused. */
const LIFE_MS = 500;
const SWEEP_EVERY_MS = 100;
/** Idle subjects are dropped every so many sweeps: with thousands of subjects, a visit of all takes milliseconds. */
const SWEEPS_PER_VISIT = 5;
/** A subject with fewer requests per sweep interval gets no lease, so that its rate-limit headers stay exact. */
const BUSY_PER_INTERVAL = 10;
/** A lease should last about this many sweep intervals. */
const INTERVALS_PER_LEASE = 2;
const SUBJECTS_MAX = 10_000;

type PermitLease = {
  /** Of the last refill, so that unused permits are given back to the counters that have counted them. */
  receipt: Receipt;
  /** The counts of all instances, including this lease, as last returned by the shared counters. */
  counts: readonly number[];
  /** Permits of the lease that are not used yet. */
  unused: number;
  /** The lease is refilled when `unused` falls below this. */
  refillBelow: number;
  /** The sweep after which the last request came, the requests since that sweep, and those in the interval before it. */
  sweep: number;
  requests: number;
  requestsBefore: number;
  usedAt: number;
  /** In milliseconds of `now`. Null while each request takes its permit directly. */
  refilledAt: number | null;
  refilling: Promise<void> | null;
};

/**
 * Counters that take the permits of busy subjects in advance (permit leases), so that most requests need no call to the
 * shared counters.
 *
 * States of a subject:
 * - `direct`: it has no lease. Each request takes its permit from the shared counters;
 * - `empty`: it has a lease without unused permits. A request begins a refill and waits for it;
 * - `stocked`: its lease has unused permits. A request takes one of them at once;
 * - `refilling`: a refill is under way. Requests use what the lease still has, then wait.
 *
 * Transitions:
 * - `direct` → `empty`: the tenth request within a sweep interval of 100 ms;
 * - `empty`, `stocked` → `refilling`: fewer permits are unused than a quarter of a refill;
 * - `refilling` → `stocked` or `empty`: the shared counters have answered, or failed;
 * - `stocked` → `empty`: half a second without a refill (`LIFE_MS`): the unused permits are given back;
 * - `empty` → `direct`: half a second without a request, or other limits after a change of plan. Until then a subject that is not
 *   busy takes its permits directly.
 *
 * They never admit more requests than the quota: each permit was taken from the shared counters before it is used here.
 * Unused permits are given back after `LIFE_MS` and at shutdown. Until then another instance may refuse a request
 * although permits are unused. Permits that only this process has counted are never given back to the shared counters:
 * other requests would get as many permits too many.
 */
export class LeasingCounters implements Counters {
  readonly #shared: Counters;
  readonly #now: () => number;
  readonly #leases = new Map<string, PermitLease>();
  /** The requests since the last sweep of each subject without a lease, by first counter. */
  readonly #requests = new RequestCounts();
  /** The leases that may have unused permits. */
  readonly #held = new Set<PermitLease>();
  #sweeps = 0;
  /** Runs while there are leases or requests: it would wake an idle process ten times a second. */
  #timer: NodeJS.Timeout | undefined;
  /** Whether a subject without a lease has sent a request, or got its answer, since the last sweep. */
  #hasRequests = false;
  #isClosed = false;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(shared: Counters, now: () => number = () => performance.now()) {
    this.#shared = shared;
    this.#now = now;
  }

  take(permits: readonly Permit[], upTo: number): MaybePromise<Taken> {
    const lease = this.#leaseOf(permits);
    if (lease !== undefined) this.#returnExpired(lease);
    else this.#endOtherLease(permits);
    // A lease without unused permits has outdated counts: other instances may have taken permits since.
    if (upTo === 0 && lease !== undefined && lease.unused > 0) return takenFrom(lease, 0);
    if (upTo !== 1) return this.#shared.take(permits, upTo);
    if (lease === undefined) return this.#takeForSlowSubject(permits);
    this.#noteRequest(lease);
    if (lease.unused > 0) return this.#use(lease);
    if (lease.refilling === null && this.#sizeOf(lease) === 1) return this.#takeWithoutLease(lease, permits);
    return this.#takeAfterRefill(lease, permits);
  }

  /** Gives permits back to the lease if there is one, otherwise to the shared counters. */
  giveBack(receipt: Receipt, n: number): MaybePromise<void> {
    const lease = this.#leaseOf(receipt.permits);
    const isLeased = lease !== undefined && lease.refilledAt !== null;
    if (!isLeased || lease.receipt.isLocal !== receipt.isLocal) return this.#shared.giveBack(receipt, n);
    lease.unused += n;
    this.#held.add(lease);
  }

  /** Gives back permits that were not used in time, and drops idle subjects. */
  sweep(): void {
    this.#sweeps += 1;
    this.#requests.clear();
    const idleSince = this.#now() - LIFE_MS;
    for (const lease of this.#held) {
      if (lease.refilling !== null || (lease.refilledAt ?? idleSince) > idleSince) continue;
      this.#held.delete(lease);
      void this.#return(lease);
    }
    if (this.#sweeps % SWEEPS_PER_VISIT === 0) this.#dropIdle(idleSince);
    if (!this.#hasRequests && this.#leases.size === 0 && this.#held.size === 0) this.#stopSweeps();
    this.#hasRequests = false;
  }

  #startSweeps(): void {
    this.#hasRequests = true;
    if (this.#timer === undefined && !this.#isClosed)
      this.#timer = setInterval(() => this.sweep(), SWEEP_EVERY_MS).unref();
  }

  #stopSweeps(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #dropIdle(idleSince: number): void {
    for (const lease of this.#leases.values()) {
      if (lease.refilling !== null || lease.usedAt > idleSince) continue;
      this.#leases.delete(firstCounter(lease.receipt.permits));
      void this.#return(lease);
    }
  }

  #noteRequest(lease: PermitLease): void {
    if (lease.sweep !== this.#sweeps) {
      lease.requestsBefore = lease.sweep === this.#sweeps - 1 ? lease.requests : 0;
      lease.requests = 0;
      lease.sweep = this.#sweeps;
    }
    lease.requests += 1;
    lease.usedAt = this.#now();
  }

  /**
   * After a pause of this process a request can arrive before the sweep. The counts of the lease are then old, and its
   * permits may be those of the fallback: the request must not be judged by them.
   */
  #returnExpired(lease: PermitLease): void {
    if (lease.unused === 0 || lease.refilledAt === null) return;
    if (lease.refilledAt <= this.#now() - LIFE_MS) void this.#return(lease);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopSweeps();
    const leases = new Set([...this.#leases.values(), ...this.#held]);
    this.#leases.clear();
    await Promise.all(
      [...leases].map(async (lease) => {
        await lease.refilling;
        await this.#return(lease);
      }),
    );
  }

  #leaseOf(permits: readonly Permit[]): PermitLease | undefined {
    const lease = this.#leases.get(firstCounter(permits));
    return lease !== undefined && haveSameLimits(lease.receipt.permits, permits) ? lease : undefined;
  }

  /** Ends a lease of other limits: after a downgrade its permits may be more than the plan has now. */
  #endOtherLease(permits: readonly Permit[]): void {
    const lease = this.#leases.get(firstCounter(permits));
    if (lease === undefined) return;
    this.#leases.delete(firstCounter(permits));
    // While it is refilled, the next sweep or `close` gives it back.
    if (lease.refilling === null) void this.#return(lease);
    else this.#held.add(lease);
  }

  /** Counts the requests of a subject until it is busy. Then it gets a lease, which is empty at first. */
  #takeForSlowSubject(permits: readonly Permit[]): MaybePromise<Taken> {
    this.#startSweeps();
    const requests = this.#requests.add(firstCounter(permits));
    const taken = this.#shared.take(permits, 1);
    return requests < BUSY_PER_INTERVAL ? taken : andThen(taken, (first) => this.#begin(requests, first));
  }

  #begin(requests: number, taken: Taken): Taken {
    const name = firstCounter(taken.receipt.permits);
    this.#startSweeps(); // The answer may be later than the last sweep.
    if (this.#leases.size < SUBJECTS_MAX && !this.#leases.has(name)) {
      const { counts, receipt } = taken;
      const empty = { receipt, counts, unused: 0, refillBelow: 0, refilledAt: null, refilling: null };
      // The count may be that of several subjects.
      const counted = Math.min(requests, BUSY_PER_INTERVAL);
      const demand = { sweep: this.#sweeps, requests: counted, requestsBefore: 0, usedAt: this.#now() };
      this.#leases.set(name, { ...empty, ...demand });
    }
    return taken;
  }

  #use(lease: PermitLease): Taken {
    lease.unused -= 1;
    // Refills before the lease is empty, so that no request has to wait.
    if (lease.unused < lease.refillBelow) this.#refill(lease);
    return takenFrom(lease, 1);
  }

  /** Takes the permit of a request directly, for a subject that is not busy enough for a lease. */
  #takeWithoutLease(lease: PermitLease, permits: readonly Permit[]): MaybePromise<Taken> {
    lease.refilledAt = null;
    return andThen(this.#shared.take(permits, 1), (taken) => {
      if (lease.unused === 0) lease.counts = taken.counts;
      return taken;
    });
  }

  async #takeAfterRefill(lease: PermitLease, permits: readonly Permit[]): Promise<Taken> {
    this.#refill(lease);
    await lease.refilling;
    if (lease.unused > 0) return this.#use(lease);
    // Other waiting requests have used the whole lease, or no permits are left. A call to the shared counters gives an
    // exact result.
    return this.#shared.take(permits, 1);
  }

  #refill(lease: PermitLease): void {
    const size = this.#sizeOf(lease);
    if (lease.refilling !== null || size === 1) return;
    const { permits } = lease.receipt;
    const refill = async () => {
      const { granted, counts, receipt } = await this.#shared.take(permits, size);
      // Each permit goes back to the counters that have counted it.
      if (receipt.isLocal !== lease.receipt.isLocal) void this.#return(lease);
      lease.receipt = receipt;
      lease.unused += granted;
      this.#held.add(lease);
      lease.refillBelow = size / 4;
      lease.counts = counts;
      lease.refilledAt = this.#now();
    };
    lease.refilling = refill()
      .catch(() => {}) // The next request without a permit calls the shared counters itself and gets the error.
      .finally(() => {
        lease.refilling = null;
      });
  }

  /** The number of permits to lease, from the demand of the last intervals; 1 for a subject that is not busy. */
  #sizeOf({ receipt, counts, requests, requestsBefore }: PermitLease): number {
    const busiest = Math.max(requests, requestsBefore);
    if (busiest < BUSY_PER_INTERVAL) return 1;
    const usages = receipt.permits.map(({ capacity }, i) => ({ capacity, count: counts[i] ?? 0 }));
    return permitLeaseSize(usages, busiest * INTERVALS_PER_LEASE);
  }

  async #return(lease: PermitLease): Promise<void> {
    const { receipt, unused } = lease;
    if (unused === 0) return;
    lease.unused = 0;
    lease.counts = lease.counts.map((count) => count - unused);
    await orElse(
      () => this.#shared.giveBack(receipt, unused),
      () => {},
    );
  }
}

/** Leases are found by the first counter, because a joined name of all counters would be new text for each request. */
const firstCounter = (permits: readonly Permit[]): string => permits[0]?.counter ?? '';

/** The result for a request. The counts do not include the unused permits of this lease. */
const takenFrom = ({ counts, unused, receipt }: PermitLease, granted: number): Taken => ({
  granted,
  receipt,
  counts: counts.map((count) => count - unused),
});
