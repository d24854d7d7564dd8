import {
  anonymousPolicy,
  type Limit,
  limitsOf,
  type Policy,
  permitOf,
  windows,
} from '../../domain/limits/rate-limit.js';
import type { Clock } from '../ports/clock.js';
import type { Counters } from '../ports/limits/counters.js';
import { Unavailable } from '../unavailable.js';

type GuardAddressParts = {
  readonly counters: Counters;
  readonly clock: Clock;
  readonly anonymousPerMinute: number;
};

/** Protects against guessing: counts requests without a valid key by client address (D33). */
export class GuardAddress {
  readonly #counters: Counters;
  readonly #clock: Clock;
  readonly #policies: readonly Policy[];

  constructor({ counters, clock, anonymousPerMinute }: GuardAddressParts) {
    this.#counters = counters;
    this.#clock = clock;
    this.#policies = [anonymousPolicy(anonymousPerMinute)];
  }

  /** Counts one request. */
  take(address: string): Promise<{ granted: number; limits: readonly Limit[] }> {
    return this.#count(address, 1);
  }

  /**
   * The current limits. While the counters are unavailable, the whole quota remains: the headers must not make the
   * response fail (D35).
   */
  async peek(address: string): Promise<readonly Limit[]> {
    try {
      return (await this.#count(address, 0)).limits;
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
      return limitsOf(this.#windowsOf(address), []);
    }
  }

  async #count(address: string, upTo: 0 | 1) {
    const open = this.#windowsOf(address);
    const { granted, counts } = await this.#counters.take(open.map(permitOf), upTo);
    return { granted, limits: limitsOf(open, counts) };
  }

  #windowsOf(address: string) {
    return windows(`address:${address}`, this.#policies, this.#clock());
  }
}
