import { type MaybePromise, settle } from '../../application/maybe-promise.js';
import type { Counters, RaiseCounts, Receipt, Taken } from '../../application/ports/limits/counters.js';
import { Unavailable, UnavailableAfterPause } from '../../application/unavailable.js';
import type { Permit } from '../../domain/limits/rate-limit.js';
import { LastCounts, type SetCounts } from './last-counts.js';

/** Counters of this process whose counts can be set from the shared ones. */
export type LocalCounters = Counters & { readonly setCounts: SetCounts };

/**
 * Counters that use local ones while the shared ones are unavailable (D35). The local counters continue from the last
 * shared counts, so during one outage a process grants at most the whole quota (D35).
 *
 * After a pause of this process those counts are old: meanwhile other instances may have used up the limit. A call that
 * failed because of the pause is therefore repeated as soon as the shared counters answer. If the first attempt had its
 * effect, the request is counted twice, but no limit is exceeded.
 *
 * If an answer shows that the shared counters have lost counts, they are raised to the last counts. The permit that the call
 * got may have been used by another request before, so the call is repeated.
 */
export class FallbackCounters implements Counters {
  readonly #shared: Counters;
  readonly #local: LocalCounters;
  readonly #lastCounts: LastCounts;
  readonly #raise: RaiseCounts;

  /** `raise` raises the counts of the shared counters, if they can lose any. */
  constructor(shared: Counters, local: LocalCounters, raise: RaiseCounts = async () => {}) {
    this.#shared = shared;
    this.#raise = raise;
    this.#local = local;
    this.#lastCounts = new LastCounts((permits, counts) => local.setCounts(permits, counts));
  }

  take(permits: readonly Permit[], upTo: number): MaybePromise<Taken> {
    return settle(
      () => this.#shared.take(permits, upTo),
      (taken) => {
        const lost = this.#lastCounts.note(permits, taken);
        return lost === null ? taken : this.#takeAfterLoss(lost, taken, permits, upTo);
      },
      (fault) => this.#takeAfterFault(fault, permits, upTo),
    );
  }

  async #takeAfterLoss(
    lost: readonly number[],
    { isNew }: Taken,
    permits: readonly Permit[],
    upTo: number,
  ): Promise<Taken> {
    try {
      await this.#raise(permits, lost);
      const taken = await this.#shared.take(permits, upTo);
      this.#lastCounts.note(permits, taken);
      return isNew === true ? { ...taken, isNew } : taken;
    } catch (fault) {
      return this.#takeAfterFault(fault, permits, upTo);
    }
  }

  async #takeAfterFault(fault: unknown, permits: readonly Permit[], upTo: number): Promise<Taken> {
    if (!(fault instanceof Unavailable)) throw fault;
    if (fault instanceof UnavailableAfterPause && (await fault.answered)) return this.take(permits, upTo);
    this.#lastCounts.apply(permits);
    const { granted, counts } = await this.#local.take(permits, upTo);
    return { granted, counts, receipt: { permits, isLocal: true } };
  }

  /** The shared counters are available again after an outage, perhaps without their counts. */
  doubtCounts(): void {
    this.#lastCounts.doubt();
  }

  /** Best effort without a retry: a call that timed out may have had its effect (D34). */
  async giveBack(receipt: Receipt, n: number): Promise<void> {
    this.#lastCounts.apply(receipt.permits);
    await this.#local.giveBack(receipt, n);
    if (receipt.isLocal) return;
    this.#lastCounts.noteGivenBack(receipt.permits, n);
    try {
      await this.#shared.giveBack(receipt, n);
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
    }
  }
}
