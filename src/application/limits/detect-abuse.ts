import type { Plans } from '../../domain/billing/plan.js';
import type { Subscription } from '../../domain/billing/subscription.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import {
  type AbuseRules,
  flagAbuse,
  networksOf,
  refusalsOf,
  tooManyNetworks,
  tooManyRefusals,
} from '../../domain/limits/abuse.js';
import { epochSeconds, type Moment } from '../../domain/moment.js';
import { knownPlan } from '../billing/known-plan.js';
import { changeByKey } from '../keys/change-by-key.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { AbuseSignals } from '../ports/limits/abuse-signals.js';
import { type KeyUse, NotedUse } from './noted-use.js';

export type DetectAbuseParts = {
  readonly accounts: Accounts;
  readonly abuseSignals: AbuseSignals;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly abuseRules: AbuseRules;
};

/**
 * Detects abuse (contract section 3.1). `note` records each request in memory. `scan` runs at intervals: it adds these
 * records to the abuse signals of all instances, and suspends subscriptions for abuse.
 */
export class DetectAbuse {
  readonly #parts: DetectAbuseParts;
  readonly #uses = new NotedUse();
  /** Client networks that this instance has counted in the current minute. */
  #counted = new Map<KeyId, CountedNetworks>();
  #countedIn = 0;

  constructor(parts: DetectAbuseParts) {
    this.#parts = parts;
  }

  /** Notes that a request with a valid key came from a network, and whether it was over the limit. */
  note(key: KeyId, subscription: Subscription, network: string, isRefused: boolean): void {
    this.#uses.note(key, subscription, network, isRefused);
  }

  /** Counts the use since the last scan, and suspends for abuse. */
  async scan(): Promise<void> {
    const now = this.#parts.clock();
    const minute = Math.floor(epochSeconds(now) / 60);
    if (minute !== this.#countedIn) this.#counted = new Map();
    this.#countedIn = minute;
    // A suspension that cannot be stored now must not prevent the other counts. The same abuse is detected again within
    // a minute.
    const faults: unknown[] = [];
    for (const use of this.#uses.take()) {
      // Nearly all use. Without this check, a scan would compute the counters of every key.
      if (use.refusals === 0 && this.#freshNetworksOf(use).length === 0) continue;
      await this.#judge(use, now).catch((fault: unknown) => faults.push(fault));
    }
    if (faults.length > 0) throw faults[0];
  }

  async #judge(use: KeyUse, now: Moment): Promise<void> {
    const reason = await this.#reasonOf(use, now);
    if (reason === null) return;
    const context = { actor: 'service', reason, at: now };
    const { since } = use.subscription.monitoring;
    await changeByKey(this.#parts.accounts, use.key, now, (account) => flagAbuse(account, since, context));
  }

  async #reasonOf(use: KeyUse, now: Moment): Promise<string | null> {
    const { plans, abuseRules, abuseSignals } = this.#parts;
    const { subscription, refusals } = use;
    const { requestsPerMinute } = knownPlan(plans, subscription.plan);
    const [distinct, refused] = await Promise.all([
      this.#distinctNetworks(use, now),
      refusals === 0 ? 0 : abuseSignals.refusals(refusalsOf(subscription.id, subscription, now), refusals),
    ]);
    return tooManyNetworks(distinct, abuseRules) ?? tooManyRefusals(refused, requestsPerMinute, abuseRules);
  }

  /** Returns 0 without new networks. Most keys use the same few networks, so each is counted only once a minute. */
  async #distinctNetworks(use: KeyUse, now: Moment): Promise<number> {
    const fresh = this.#freshNetworksOf(use);
    if (fresh.length === 0) return 0;
    const { key, subscription } = use;
    const distinct = await this.#parts.abuseSignals.networks(networksOf(key, subscription, now), fresh);
    const counted = this.#countedNetworksOf(use);
    for (const network of fresh) counted.add(network);
    return distinct;
  }

  #freshNetworksOf(use: KeyUse): readonly string[] {
    const counted = this.#countedNetworksOf(use);
    return [...use.networks].filter((network) => !counted.has(network));
  }

  /** When monitoring restarts, the counters get new names, so earlier networks are not counted. */
  #countedNetworksOf({ key, subscription }: KeyUse): Set<string> {
    const { since } = subscription.monitoring;
    const known = this.#counted.get(key);
    if (known?.since === since) return known.names;
    const names = new Set<string>();
    this.#counted.set(key, { since, names });
    return names;
  }
}

type CountedNetworks = { readonly since: Moment; readonly names: Set<string> };
