import { setTimeout } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import {
  type AccountCounts,
  type AccountStatistics,
  COUNTED_SUBSCRIPTION_STATES,
  type CountedBatch,
} from '../../../application/ports/accounts/account-statistics.js';
import type { AccountId } from '../../../domain/accounts/account.js';
import { PLAN_NAMES } from '../../../domain/billing/plan.js';

/** Counts are at least this old before they are read again. */
const READ_AFTER_MS = 60_000;

const KEY_STATES = ['active', 'suspended', 'revoked'] as const;

/** The accounts of one query, which takes some milliseconds. */
const BATCH = 500;

/** After each query, a read pauses for this many times as long, so that it takes at most 2 % of the time. */
const PAUSE_FACTOR = 49;

/**
 * Keys and subscriptions by state. A scrape starts a read in the background if the last one is old, and returns the values of
 * the last one: it never waits for the store. Every process has the same values, so a query must take their maximum.
 */
export class AccountMetrics {
  readonly #keys: Gauge<'state'>;
  readonly #subscriptions: Gauge<'plan' | 'state'>;
  #statistics: AccountStatistics | null = null;
  #nextReadAt = 0;

  constructor(registry: Registry) {
    const registers = [registry];
    const readWhenDue = () => this.#readWhenDue();
    this.#keys = new Gauge({
      name: 'oddswire_keys',
      help: 'Keys of all accounts by their own state, up to some minutes old.',
      aggregator: 'max',
      labelNames: ['state'],
      registers,
      collect: readWhenDue,
    });
    this.#subscriptions = new Gauge({
      name: 'oddswire_subscriptions',
      help: 'Subscriptions by plan and state, up to some minutes old. suspended: served but for a suspension cause.',
      aggregator: 'max',
      labelNames: ['plan', 'state'],
      registers,
    });
  }

  /** Sets the source of the counts, and reads them for the first time. */
  observe(statistics: AccountStatistics): void {
    this.#statistics = statistics;
    this.#readWhenDue();
  }

  #readWhenDue(): void {
    if (this.#statistics === null || performance.now() < this.#nextReadAt) return;
    this.#nextReadAt = Number.POSITIVE_INFINITY;
    const readAgain = () => {
      this.#nextReadAt = performance.now() + READ_AFTER_MS;
    };
    // The outage of the store is logged where it is noticed. The values stay.
    this.#read(this.#statistics).then(readAgain, readAgain);
  }

  async #read(statistics: AccountStatistics): Promise<void> {
    const batches: AccountCounts[] = [];
    for (let after: AccountId | null = null; ; ) {
      const startedAt = performance.now();
      const batch: CountedBatch = await statistics.count(after, BATCH);
      batches.push(batch);
      if (batch.last === null) break;
      after = batch.last;
      await setTimeout((performance.now() - startedAt) * PAUSE_FACTOR, null, { ref: false });
    }
    this.#set(batches);
  }

  /** A state without keys or subscriptions has 0, so that its series does not end. */
  #set(batches: readonly AccountCounts[]): void {
    for (const state of KEY_STATES) this.#keys.set({ state }, 0);
    for (const plan of PLAN_NAMES)
      for (const state of COUNTED_SUBSCRIPTION_STATES) this.#subscriptions.set({ plan, state }, 0);
    for (const { keys, subscriptions } of batches) {
      for (const { state, count } of keys) this.#keys.inc({ state }, count);
      for (const { plan, state, count } of subscriptions) this.#subscriptions.inc({ plan, state }, count);
    }
  }
}
