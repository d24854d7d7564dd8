import { setImmediate } from 'node:timers/promises';
import { andThen, type MaybePromise } from '../../application/maybe-promise.js';
import type { AccountUsage } from '../../application/ports/limits/account-usage.js';
import type { Counters, RaiseCounts, Receipt, Taken } from '../../application/ports/limits/counters.js';
import { Unavailable } from '../../application/unavailable.js';
import type { Permit, RecordedUsage } from '../../domain/limits/rate-limit.js';
import { leastUsed } from '../../domain/limits/recorded-usage.js';
import { fromEpochMillis } from '../../domain/moment.js';

/**
 * Counters that may have lost their counts while no instance was running that had seen them (D35). A counter that is new in a
 * window that began some time ago is raised to what the usage shows.
 *
 * The call that has created the counter reads the usage, and calls that are answered meanwhile wait. Their permits were counted
 * before the counter was raised, so they are among those that were used before: each call takes its permits of this counter again,
 * unless its count is above them. So the count is exactly what was used before, and what was admitted since. Other instances do
 * not wait: what they are granted in this moment is counted as used before. If the usage cannot be read, the counter begins at 0.
 */
export class RestoredCounters implements Counters {
  readonly #shared: Counters;
  readonly #raise: RaiseCounts;
  readonly #usage: Pick<AccountUsage, 'since'>;
  /** The counters that are being restored, and to which count. */
  readonly #restoring = new Map<string, Promise<number>>();

  constructor(shared: Counters, raise: RaiseCounts, usage: Pick<AccountUsage, 'since'>) {
    this.#shared = shared;
    this.#raise = raise;
    this.#usage = usage;
  }

  take(permits: readonly Permit[], upTo: number): MaybePromise<Taken> {
    return andThen(this.#shared.take(permits, upTo), (taken) =>
      taken.isNew !== true && this.#restoring.size === 0 ? taken : this.#takeRestored(taken, permits),
    );
  }

  giveBack(receipt: Receipt, n: number): MaybePromise<void> {
    return this.#shared.giveBack(receipt, n);
  }

  async #takeRestored(taken: Taken, permits: readonly Permit[]): Promise<Taken> {
    const last = permits[permits.length - 1];
    const restoring = last === undefined ? undefined : this.#restoringOf(taken, last);
    if (last === undefined || restoring === undefined) return taken;
    const used = await restoring;
    const { granted, counts, receipt } = taken;
    const others = permits.slice(0, -1);
    if ((counts[others.length] ?? 0) > used) return taken;
    const again = await this.#shared.take([last], granted);
    const refused = granted - again.granted;
    if (refused > 0) await this.#giveBackOthers({ ...receipt, permits: others }, refused);
    return { granted: again.granted, counts: [...counts.slice(0, -1), ...again.counts], receipt };
  }

  /** Best effort, as a refund. */
  async #giveBackOthers(receipt: Receipt, n: number): Promise<void> {
    try {
      await this.#shared.giveBack(receipt, n);
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
    }
  }

  /** The restoration of this counter that is under way; a new one if the call has created the counter. */
  #restoringOf({ isNew }: Taken, permit: Permit): Promise<number> | undefined {
    const { counter, recorded = null } = permit;
    const underWay = this.#restoring.get(counter);
    if (underWay !== undefined || isNew !== true || recorded === null) return underWay;
    const restoring = this.#restore(permit, recorded).finally(() => this.#restoring.delete(counter));
    this.#restoring.set(counter, restoring);
    return restoring;
  }

  /** Returns the count to which the counter was raised; 0 if it was not. */
  async #restore(permit: Permit, { key, since }: RecordedUsage): Promise<number> {
    try {
      const used = leastUsed(await this.#usage.since(key, fromEpochMillis(since * 1_000)));
      if (used > 0) await this.#raise([permit], [used]);
      // Calls that were counted before have their answers by now, but may not have come here yet.
      await setImmediate();
      return used;
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
      return 0;
    }
  }
}
