import type { Counters, Taken } from '../../application/ports/limits/counters.js';
import { Unavailable } from '../../application/unavailable.js';
import type { Place } from '../../domain/limits/rate-limit.js';

/** Counters of this process that can be told what others have counted. */
export type LocalCounters = Counters & {
  /** Sets each counter to what was seen of it. */
  readonly see: (places: readonly Place[], counts: readonly number[]) => void;
};

/**
 * Counters that go on without the shared ones (D35): what those said last is remembered, and while
 * they are away this process counts on from there, up to the whole quota.
 */
export class FallbackCounters implements Counters {
  readonly #shared: Counters;
  readonly #local: LocalCounters;
  /** Places that were taken here alone; only here may they be given back. */
  readonly #takenHere = new WeakSet<readonly Place[]>();

  constructor(shared: Counters, local: LocalCounters) {
    this.#shared = shared;
    this.#local = local;
  }

  async take(places: readonly Place[], upTo: number): Promise<Taken> {
    try {
      const taken = await this.#shared.take(places, upTo);
      this.#local.see(places, taken.counts);
      return taken;
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
      this.#takenHere.add(places);
      return this.#local.take(places, upTo);
    }
  }

  /** Best effort, and never tried again: a call without an answer may have had its effect (D34). */
  async giveBack(places: readonly Place[], n: number): Promise<void> {
    await this.#local.giveBack(places, n);
    if (this.#takenHere.has(places)) return;
    try {
      await this.#shared.giveBack(places, n);
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
    }
  }
}
