import type { Clock } from '../../../application/ports/clock.js';
import type { AbuseSignals } from '../../../application/ports/limits/abuse-signals.js';
import type { MonitoredWindow } from '../../../domain/limits/abuse.js';
import { type Moment, plus, SECOND } from '../../../domain/moment.js';

type Counter = { readonly names: Set<string>; count: number; readonly until: Moment };

/** The most distinct networks kept per counter; far above every threshold. */
const NAMES_MAX = 10_000;

/** Abuse signals of one process. */
export class MemoryAbuseSignals implements AbuseSignals {
  readonly #counters = new Map<string, Counter>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async networks(window: MonitoredWindow, names: readonly string[]): Promise<number> {
    const current = this.#current(window);
    for (const name of names) if (current.names.size < NAMES_MAX) current.names.add(name);
    return new Set(this.#all(window).flatMap((counter) => [...counter.names])).size;
  }

  async refusals(window: MonitoredWindow, count: number): Promise<number> {
    this.#current(window).count += count;
    return this.#all(window).reduce((sum, counter) => sum + counter.count, 0);
  }

  #current({ counters: [name = ''], lifetimeSeconds }: MonitoredWindow): Counter {
    const now = this.#clock();
    for (const [other, { until }] of this.#counters) if (until <= now) this.#counters.delete(other);
    const known = this.#counters.get(name);
    if (known !== undefined) return known;
    const fresh = { names: new Set<string>(), count: 0, until: plus(now, lifetimeSeconds * SECOND) };
    this.#counters.set(name, fresh);
    return fresh;
  }

  #all({ counters }: MonitoredWindow): readonly Counter[] {
    return counters.flatMap((name) => this.#counters.get(name) ?? []);
  }
}
