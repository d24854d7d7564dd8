import type { PlanName, Plans } from '../../domain/billing/plan.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { KeyFormat, KeyHash } from '../../domain/keys/key-value.js';
import { FEED_SCOPE } from '../../domain/keys/scope.js';
import { whyAccessRefused } from '../../domain/limits/admission.js';
import {
  type Limit,
  limitsOf,
  type Place,
  placeIn,
  rateLimited,
  type Window,
  whyOverLimit,
} from '../../domain/limits/rate-limit.js';
import type { Moment } from '../../domain/moment.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import type { Clock } from '../ports/clock.js';
import type { HashKey } from '../ports/ids.js';
import type { Gate, GateEntry } from '../ports/keys/gate.js';
import type { LastUsed } from '../ports/keys/last-used.js';
import type { Counters } from '../ports/limits/counters.js';
import type { DetectAbuse } from './detect-abuse.js';
import type { GuardAddress } from './guard-address.js';
import { SubscriptionWindows } from './subscription-windows.js';

/** Who asks: what was sent as a key, if anything was, and the address it came from. */
export type Caller = {
  readonly credential: string | null;
  /** The hash of a credential that has the form of a key, where whoever asks has worked it out before. */
  readonly hash?: KeyHash;
  readonly address: string;
  /** The network that the address is of (/24, /48). */
  readonly network: string;
};

export type Admitted = {
  readonly admitted: true;
  readonly key: KeyId;
  readonly plan: PlanName;
  readonly limits: readonly Limit[];
  /** What the request took of its limits, to be given back if it turns out to cost nothing (D34). */
  readonly places: readonly Place[];
};

/** `limits` are what the answer tells of the rate limits (D33). */
export type Admission =
  | Admitted
  | {
      readonly admitted: false;
      /** The key that was sent, if there is such a one: what it was refused is counted as its use too. */
      readonly key: KeyId | null;
      readonly refusal: Refusal;
      readonly limits: readonly Limit[];
    };

/** Contract section 5.5: the checks of the gateway, in its order. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is being written anew
export const admitRequest = (parts: {
  readonly gate: Gate;
  readonly counters: Counters;
  readonly guardAddress: GuardAddress;
  readonly lastUsed: LastUsed;
  /** What is kept of the use of a key, to tell use from abuse. */
  readonly noteUse: DetectAbuse['note'];
  readonly clock: Clock;
  readonly hashKey: HashKey;
  readonly keyFormat: KeyFormat;
  readonly plans: Plans;
}) => {
  const { gate, counters, lastUsed, clock, hashKey, keyFormat, plans } = parts;
  const windows = new SubscriptionWindows(plans);

  /** A request that takes no place is admitted also where none is left. */
  return async ({ credential, hash, address, network }: Caller, takes: 0 | 1 = 1): Promise<Admission> => {
    const now = clock();
    if (credential === null) return stranger(address, refuse('key_missing')); // 1. a key was sent

    const entry = await entryOf(credential, hash);
    if (entry === null) return stranger(address, refuse('key_unknown')); // 2. it exists

    const refusal = whyRefused(entry, now); // 3. and 4. it may be used, and its subscription too
    const { open, permits } = windows.of(entry.subscription, now);
    if (refusal !== null) return refused(entry.key.id, refusal, address, open);

    const places = [...permits]; // 5. it is within its limits
    const { granted, counts } = await counters.take(places, takes);
    const limits = limitsOf(open, counts);
    const overLimit = whyOverLimit(limits, granted, takes);
    const { key, subscription } = entry;
    parts.noteUse(key.id, subscription, network, overLimit !== null);
    if (overLimit !== null) return { admitted: false, key: key.id, refusal: overLimit, limits };
    lastUsed.note(key.id, now);
    return {
      admitted: true,
      key: key.id,
      plan: subscription.plan,
      limits,
      places: takes === 0 ? [] : places,
    };
  };

  /** Null for what cannot be a key at all, and for one that exists nowhere. */
  function entryOf(credential: string, hash: KeyHash | undefined): Promise<GateEntry | null> {
    if (hash !== undefined) return gate.find(hash);
    const value = keyFormat.recognise(credential);
    return value === undefined ? Promise.resolve(null) : gate.find(hashKey(value));
  }

  /** Nobody we know: counted by address, and beyond its quota told so instead (D33). */
  async function stranger(address: string, refusal: Refusal): Promise<Admission> {
    const { granted, limits } = await parts.guardAddress.take(address);
    return { admitted: false, key: null, refusal: granted === 0 ? rateLimited(limits) : refusal, limits };
  }

  /** Takes nothing. A 401 tells of the address's limits, a 402 or 403 of the subscription's (D34). */
  async function refused(
    key: KeyId,
    refusal: Refusal,
    address: string,
    open: readonly Window[],
  ): Promise<Admission> {
    if (refusal.refused === 'key_revoked') {
      return { admitted: false, key, refusal, limits: await parts.guardAddress.look(address) };
    }
    const { counts } = await counters.take(open.map(placeIn), 0);
    return { admitted: false, key, refusal, limits: limitsOf(open, counts) };
  }
};

export type AdmitRequest = ReturnType<typeof admitRequest>;

function whyRefused({ key, subscription }: GateEntry, now: Moment): Refusal | null {
  const refusal = whyAccessRefused(subscription, now, key.state);
  if (refusal !== null) return refusal;
  return key.scopes.includes(FEED_SCOPE) ? null : refuse('insufficient_scope');
}
