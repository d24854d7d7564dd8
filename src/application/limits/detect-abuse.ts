import type { Plans } from '../../domain/billing/plan.js';
import type { Subscription } from '../../domain/billing/subscription.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import {
  type AbuseRules,
  networksOf,
  refusalsOf,
  tooManyNetworks,
  tooManyRefusals,
  tripAbuse,
  type WatchedWindow,
} from '../../domain/limits/abuse.js';
import { epochSeconds, type Moment } from '../../domain/moment.js';
import { changeKeyHolder } from '../keys/change-key-holder.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { Sightings } from '../ports/limits/sightings.js';

/** What one key was seen to do since the last look. */
type Seen = {
  readonly key: KeyId;
  readonly subscription: Subscription;
  readonly networks: Set<string>;
  refusals: number;
};

/** Keys and networks held between two looks: beyond them nothing more is noted, and what there is trips all the same. */
const KEYS_MAX = 50_000;
const NETWORKS_MAX = 1_000;

/**
 * Looks for what is no longer use (contract section 3.1). A request costs a note in memory; at intervals the notes
 * are counted together with those of the other instances, and a trip suspends the subscription.
 */
export const detectAbuse = (parts: {
  readonly accounts: Accounts;
  readonly sightings: Sightings;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly rules: AbuseRules;
}) => {
  const { accounts, sightings, clock, plans, rules } = parts;
  let seen = new Map<KeyId, Seen>();
  /** Networks that were counted already, by their counter; of this minute alone. */
  let counted = new Map<string, Set<string>>();
  let countedIn = 0;

  function noteOf(key: KeyId, subscription: Subscription): Seen | null {
    if (!subscription.watch.isOn) return null;
    const known = seen.get(key);
    // Watched anew since: what was noted before counts no more.
    if (known !== undefined && known.subscription.watch.since === subscription.watch.since) return known;
    if (seen.size >= KEYS_MAX) return null;
    const fresh = { key, subscription, networks: new Set<string>(), refusals: 0 };
    seen.set(key, fresh);
    return fresh;
  }

  async function reasonOf({ key, subscription, networks, refusals }: Seen, now: Moment) {
    const { requestsPerMinute } = plans[subscription.plan];
    const [distinct, refused] = await Promise.all([
      distinctNetworks(networksOf(key, subscription, now), networks),
      refusals === 0 ? 0 : sightings.refusals(refusalsOf(subscription.id, subscription, now), refusals),
    ]);
    return tooManyNetworks(distinct, rules) ?? tooManyRefusals(refused, requestsPerMinute, rules);
  }

  /** Most keys come from the same few networks all the time: those are counted once a minute. */
  async function distinctNetworks(window: WatchedWindow, networks: ReadonlySet<string>): Promise<number> {
    const [counter = ''] = window.counters;
    const known = counted.get(counter) ?? new Set();
    const fresh = [...networks].filter((network) => !known.has(network));
    if (fresh.length === 0) return 0;
    const distinct = await sightings.networks(window, fresh);
    for (const network of fresh) known.add(network);
    counted.set(counter, known);
    return distinct;
  }

  async function look(one: Seen, now: Moment): Promise<void> {
    const reason = await reasonOf(one, now);
    if (reason === null) return;
    const act = { actor: 'service', reason, at: now };
    const { since } = one.subscription.watch;
    await changeKeyHolder(accounts, one.key, now, (account) => tripAbuse(account, since, act));
  }

  return {
    /** That a request with a good key came from a network, and whether it was over the limit. */
    note(key: KeyId, subscription: Subscription, network: string, isRefused: boolean): void {
      const one = noteOf(key, subscription);
      if (one === null) return;
      if (one.networks.size < NETWORKS_MAX) one.networks.add(network);
      if (isRefused) one.refusals += 1;
    },

    /** Counts what was noted since the last time. */
    async look(): Promise<void> {
      const noted = seen;
      seen = new Map();
      const now = clock();
      const minute = Math.floor(epochSeconds(now) / 60);
      if (minute !== countedIn) counted = new Map();
      countedIn = minute;
      // One trip that cannot be stored now must not cost the others their count; it is found again within a minute.
      const faults: unknown[] = [];
      for (const one of noted.values()) await look(one, now).catch((fault: unknown) => faults.push(fault));
      if (faults.length > 0) throw faults[0];
    },
  };
};

export type DetectAbuse = ReturnType<typeof detectAbuse>;
