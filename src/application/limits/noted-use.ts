import type { Subscription } from '../../domain/billing/subscription.js';
import type { KeyId } from '../../domain/keys/api-key.js';

/** The use of one key since the last scan. */
export type KeyUse = {
  readonly key: KeyId;
  readonly subscription: Subscription;
  readonly networks: ReadonlySet<string>;
  readonly refusals: number;
};

/**
 * The most keys between two scans, and the most client networks of each key. They bound the memory, and are far above
 * the thresholds of abuse.
 */
const KEYS_MAX = 50_000;
const NETWORKS_MAX = 1_000;

type Use = { -readonly [P in keyof KeyUse]: KeyUse[P] } & {
  readonly networks: Set<string>;
  /** The network of the last request: most requests come from the same one. */
  lastNetwork: string | null;
};

/** The use of keys in memory: the client networks of each key, and the number of its requests over the limit. */
export class NotedUse {
  #uses = new Map<KeyId, Use>();

  note(key: KeyId, subscription: Subscription, network: string, isRefused: boolean): void {
    const use = this.#useOf(key, subscription);
    if (use === null) return;
    if (network !== use.lastNetwork && use.networks.size < NETWORKS_MAX) use.networks.add(network);
    use.lastNetwork = network;
    if (isRefused) use.refusals += 1;
  }

  /** Returns the use of all keys and clears it. */
  take(): readonly KeyUse[] {
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    return uses;
  }

  #useOf(key: KeyId, subscription: Subscription): Use | null {
    const known = this.#uses.get(key);
    if (known?.subscription === subscription) return known;
    if (!subscription.monitoring.isOn) return null;
    // If monitoring has restarted, the use before does not count.
    if (known !== undefined && known.subscription.monitoring.since === subscription.monitoring.since)
      return known;
    if (this.#uses.size >= KEYS_MAX) return null;
    const fresh = { key, subscription, networks: new Set<string>(), refusals: 0, lastNetwork: null };
    this.#uses.set(key, fresh);
    return fresh;
  }
}
