import type { Counters, Taken } from '../../application/ports/limits/counters.js';
import { Unavailable } from '../../application/unavailable.js';
import type { Permit } from '../../domain/limits/rate-limit.js';

/** Counters of this process that can be told what others have counted. */
export type LocalCounters = Counters & {
  /** Sets each counter to what was seen of it. */
  readonly see: (permits: readonly Permit[], counts: readonly number[]) => void;
};

/**
 * Counters that go on without the shared ones (D35): what those said last is remembered, and while
 * they are away this process counts on from there, up to the whole quota.
 */
export class FallbackCounters implements Counters {
  readonly #shared: Counters;
  readonly #local: LocalCounters;
  /** Places that were taken here alone; only here may they be given back. */
  readonly #takenHere = new WeakSet<readonly Permit[]>();

  constructor(shared: Counters, local: LocalCounters) {
    this.#shared = shared;
    this.#local = local;
  }

  async take(permits: readonly Permit[], upTo: number): Promise<Taken> {
    try {
      const taken = await this.#shared.take(permits, upTo);
      this.#local.see(permits, taken.counts);
      return taken;
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
      this.#takenHere.add(permits);
      return this.#local.take(permits, upTo);
    }
  }

  /** Best effort, and never tried again: a call without an answer may have had its effect (D34). */
  async giveBack(permits: readonly Permit[], n: number): Promise<void> {
    await this.#local.giveBack(permits, n);
    if (this.#takenHere.has(permits)) return;
    try {
      await this.#shared.giveBack(permits, n);
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
    }
  }
}
