import type { Clock } from '../../../application/ports/clock.js';
import type { Counters, RaiseCounts, Receipt, Taken } from '../../../application/ports/limits/counters.js';
import type { Permit } from '../../../domain/limits/rate-limit.js';
import { between, type Duration, MINUTE, type Moment, SECOND } from '../../../domain/moment.js';

/** Counters of one process. They need no lock, because a read and its increment run synchronously. */
export class MemoryCounters implements Counters {
  /** Times are those since the start, as numbers: a text for each of 100 000 client addresses takes several times the memory. */
  readonly #counts = new Map<string, { count: number; readonly until: Duration }>();
  readonly #clock: Clock;
  readonly #startedAt: Moment;
  #readMoment: Moment;
  #sinceStart: Duration = 0;
  #sweepAt: Duration = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock();
    this.#readMoment = this.#startedAt;
  }

  /** The number of stored counters, including expired ones that are not swept yet. */
  get size(): number {
    return this.#counts.size;
  }

  take(permits: readonly Permit[], upTo: number): Taken {
    const now = this.#now();
    this.#sweep(now);
    const counts: number[] = [];
    let granted = upTo;
    let isNew = false;
    for (const { counter, capacity } of permits) {
      const entry = this.#live(counter, now);
      const count = entry?.count ?? 0;
      isNew = entry === undefined;
      counts.push(count);
      granted = Math.max(0, Math.min(granted, capacity - count));
    }
    const receipt = { permits, isLocal: false };
    if (granted === 0) return { granted, counts, receipt };
    for (const permit of permits) this.#add(permit, granted, now);
    const taken = { granted, counts: counts.map((count) => count + granted), receipt };
    return isNew ? { ...taken, isNew } : taken;
  }

  giveBack({ permits }: Receipt, n: number): void {
    const now = this.#now();
    for (const { counter } of permits) {
      const entry = this.#live(counter, now);
      if (entry !== undefined) entry.count = Math.max(0, entry.count - n);
    }
  }

  readonly raise: RaiseCounts = async (permits, counts) => {
    const now = this.#now();
    for (const [i, permit] of permits.entries()) {
      const lacking = (counts[i] ?? 0) - (this.#live(permit.counter, now)?.count ?? 0);
      if (lacking > 0) this.#add(permit, lacking, now);
    }
  };

  /** Sets the counters to the counts of another store. */
  setCounts(permits: readonly Permit[], counts: readonly number[]): void {
    const now = this.#now();
    this.#sweep(now);
    for (const [i, permit] of permits.entries()) {
      const count = counts[i] ?? 0;
      const entry = this.#live(permit.counter, now);
      if (entry !== undefined) entry.count = count;
      else if (count > 0) this.#add(permit, count, now);
    }
  }

  /** A clock returns the same text for a millisecond, in which many requests are counted. */
  #now(): Duration {
    const moment = this.#clock();
    if (moment !== this.#readMoment) {
      this.#readMoment = moment;
      this.#sinceStart = between(this.#startedAt, moment);
    }
    return this.#sinceStart;
  }

  #add({ counter, lifetimeSeconds }: Permit, n: number, now: Duration): void {
    const entry = this.#live(counter, now);
    if (entry !== undefined) entry.count += n;
    else this.#counts.set(counter, { count: n, until: now + lifetimeSeconds * SECOND });
  }

  #live(counter: string, now: Duration) {
    const entry = this.#counts.get(counter);
    return entry !== undefined && now < entry.until ? entry : undefined;
  }

  /** Deletes expired counters once a minute. Otherwise memory would grow with each new client address. */
  #sweep(now: Duration): void {
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + MINUTE;
    for (const [counter, { until }] of this.#counts) if (until <= now) this.#counts.delete(counter);
  }
}
