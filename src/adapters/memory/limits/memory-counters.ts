import type { Clock } from '../../../application/ports/clock.js';
import type { Counters, Taken } from '../../../application/ports/limits/counters.js';
import type { Permit } from '../../../domain/limits/rate-limit.js';
import { MINUTE, type Moment, plus, SECOND } from '../../../domain/moment.js';

/** Counters of one process. Looking and counting happen in one turn of the event loop, so no lock is needed. */
export class MemoryCounters implements Counters {
  readonly #counts = new Map<string, { count: number; readonly until: Moment }>();
  readonly #clock: Clock;
  #sweepAt: Moment;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sweepAt = clock();
  }

  /** How many counters are held, those that have ended but were not forgotten yet among them. */
  get size(): number {
    return this.#counts.size;
  }

  take(permits: readonly Permit[], upTo: number): Taken {
    const now = this.#clock();
    this.#sweep(now);
    const counts = permits.map(({ counter }) => this.#live(counter, now)?.count ?? 0);
    const free = permits.map(({ capacity }, i) => capacity - (counts[i] ?? 0));
    const granted = Math.max(0, Math.min(upTo, ...free));
    if (granted === 0) return { granted, counts };
    for (const permit of permits) this.#add(permit, granted, now);
    return { granted, counts: counts.map((count) => count + granted) };
  }

  giveBack(permits: readonly Permit[], n: number): void {
    const now = this.#clock();
    for (const { counter } of permits) {
      const entry = this.#live(counter, now);
      if (entry !== undefined) entry.count = Math.max(0, entry.count - n);
    }
  }

  /** Takes over what others have counted. */
  see(permits: readonly Permit[], counts: readonly number[]): void {
    const now = this.#clock();
    this.#sweep(now);
    for (const [i, permit] of permits.entries()) {
      const count = counts[i] ?? 0;
      const entry = this.#live(permit.counter, now);
      if (entry !== undefined) entry.count = count;
      else if (count > 0) this.#add(permit, count, now);
    }
  }

  #add({ counter, lifetimeSeconds }: Permit, n: number, now: Moment): void {
    const entry = this.#live(counter, now);
    if (entry !== undefined) entry.count += n;
    else this.#counts.set(counter, { count: n, until: plus(now, lifetimeSeconds * SECOND) });
  }

  #live(counter: string, now: Moment) {
    const entry = this.#counts.get(counter);
    return entry !== undefined && now < entry.until ? entry : undefined;
  }

  /** Counters of windows long past are forgotten once a minute; strangers bring one for each address. */
  #sweep(now: Moment): void {
    if (now < this.#sweepAt) return;
    this.#sweepAt = plus(now, MINUTE);
    for (const [counter, { until }] of this.#counts) if (until <= now) this.#counts.delete(counter);
  }
}
