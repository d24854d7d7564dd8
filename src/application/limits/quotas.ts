import {
  exhausted,
  limitsOf,
  type Policy,
  permitOf,
  rateLimited,
  type Window,
  windows,
} from '../../domain/limits/rate-limit.js';
import type { Refusal } from '../../domain/refusal.js';
import type { Clock } from '../ports/clock.js';
import type { Counters } from '../ports/limits/counters.js';

/** One permit that was taken. The caller gives it back if the action failed. */
export type TakenPermit = { readonly giveBack: () => Promise<void> };

type QuotasParts = { readonly counters: Counters; readonly clock: Clock; readonly policy: Policy };

/** The quota of one policy, counted separately for each subject. */
export class Quotas {
  readonly #parts: QuotasParts;

  constructor(parts: QuotasParts) {
    this.#parts = parts;
  }

  async take(subject: string): Promise<TakenPermit | Refusal<'rate_limited'>> {
    const { granted, limits, giveBack } = await this.#count(subject, 1);
    return granted === 1 ? { giveBack } : rateLimited(limits);
  }

  async isExhausted(subject: string): Promise<boolean> {
    const { limits } = await this.#count(subject, 0);
    return exhausted(limits).length > 0;
  }

  async #count(subject: string, upTo: 0 | 1) {
    const { counters, clock, policy } = this.#parts;
    const open: readonly Window[] = windows(`permits:${subject}`, [policy], clock());
    const { granted, counts, receipt } = await counters.take(open.map(permitOf), upTo);
    const giveBack = async () => counters.giveBack(receipt, 1);
    return { granted, limits: limitsOf(open, counts), giveBack };
  }
}
