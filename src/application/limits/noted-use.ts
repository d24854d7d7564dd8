import type { Subscription } from '../../domain/billing/subscription.js';
import type { KeyId } from '../../domain/keys/api-key.js';

/** The use of one key since the notes were last taken. */
export type KeyUse = {
  readonly key: KeyId;
  readonly subscription: Subscription;
  readonly networks: ReadonlySet<string>;
  readonly refusals: number;
};

/** The most keys, and networks of each key, that are noted between scans. They bound the memory; abuse is still detected. */
const KEYS_MAX = 50_000;
const NETWORKS_MAX = 1_000;

/** Notes of the use of keys, in memory: from which networks, and how often over the limit. */
export class NotedUse {
  #uses = new Map<KeyId, { -readonly [P in keyof KeyUse]: KeyUse[P] } & { readonly networks: Set<string> }>();

  note(key: KeyId, subscription: Subscription, network: string, isRefused: boolean): void {
    const use = this.#useOf(key, subscription);
    if (use === null) return;
    if (use.networks.size < NETWORKS_MAX) use.networks.add(network);
    if (isRefused) use.refusals += 1;
  }

  /** Returns all notes and clears them. */
  take(): readonly KeyUse[] {
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    return uses;
  }

  #useOf(key: KeyId, subscription: Subscription) {
    if (!subscription.monitoring.isOn) return null;
    const known = this.#uses.get(key);
    // If monitoring has restarted since, earlier notes do not count.
    if (known !== undefined && known.subscription.monitoring.since === subscription.monitoring.since)
      return known;
    if (this.#uses.size >= KEYS_MAX) return null;
    const fresh = { key, subscription, networks: new Set<string>(), refusals: 0 };
    this.#uses.set(key, fresh);
    return fresh;
  }
}
