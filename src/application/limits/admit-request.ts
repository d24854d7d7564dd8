import type { PlanName } from '../../domain/billing/plan.js';
import type { SubscriptionId } from '../../domain/billing/subscription.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import { stateAt } from '../../domain/keys/expiry.js';
import { type OwnLimits, setLimits } from '../../domain/keys/key-controls.js';
import type { KeyHash } from '../../domain/keys/key-value.js';
import { FEED_SCOPE } from '../../domain/keys/scope.js';
import { whyAccessRefused, whyAddressRefused } from '../../domain/limits/admission.js';
import {
  isOverPlan,
  type Limit,
  limitsOf,
  rateLimited,
  whyOverLimit,
} from '../../domain/limits/rate-limit.js';
import type { Moment } from '../../domain/moment.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import { andThen, type MaybePromise } from '../maybe-promise.js';
import type { Clock } from '../ports/clock.js';
import type { Gate, GateEntry } from '../ports/keys/gate.js';
import type { KeyUses } from '../ports/keys/key-uses.js';
import type { Counters, Receipt } from '../ports/limits/counters.js';
import type { DetectAbuse } from './detect-abuse.js';
import type { GuardAddress } from './guard-address.js';
import type { OpenWindows } from './open-windows.js';

/** The caller of a request: the key that was sent, and the client address. */
export type Caller = {
  /** The hash of the key; `malformed` for a value without the format of a key (D17); null if no key was sent. */
  readonly key: KeyHash | 'malformed' | null;
  readonly address: string;
  /** The client address itself, for the allowlist of the key (D72). `address` is the unit of the limits on addresses. */
  readonly source: string;
  /** The client network (/24, /48), for abuse detection. */
  readonly network: string;
};

export type Admitted = {
  readonly admitted: true;
  readonly key: KeyId;
  readonly subscription: SubscriptionId;
  readonly plan: PlanName;
  readonly limits: readonly Limit[];
  /** The limits that the owner has set for the key; null if there are none. */
  readonly own: OwnLimits | null;
  /** The permit that the request took, to give it back if the response costs nothing (D34). Null if it took none. */
  readonly receipt: Receipt | null;
};

/** The decision on a request. `limits` are for the rate-limit headers (D33). */
export type Admission =
  | Admitted
  | {
      readonly admitted: false;
      /** The key that was sent, if it exists. Refused requests count towards its usage. */
      readonly key: KeyId | null;
      /** The plan of that key. */
      readonly plan: PlanName | null;
      readonly refusal: Refusal;
      readonly limits: readonly Limit[];
    };

type AdmitRequestParts = {
  readonly gate: Gate;
  readonly counters: Counters;
  readonly openWindows: OpenWindows;
  readonly guardAddress: GuardAddress;
  readonly keyUses: KeyUses;
  /** Notes the use of a key for abuse detection. */
  readonly noteUse: DetectAbuse['note'];
  readonly clock: Clock;
};

/**
 * The checks of the gateway in the order of contract section 5.5. `cost` is the number of permits that a request takes. A
 * request with cost 0 is admitted even when the quota is exhausted. Throws `Unavailable` if the key cannot be looked up.
 */
export const admitRequest = ({
  gate,
  counters,
  openWindows,
  guardAddress,
  keyUses,
  noteUse,
  clock,
}: AdmitRequestParts) =>
  function admitRequest(caller: Caller, cost: 0 | 1 = 1): MaybePromise<Admission> {
    const now = clock();
    const { key, address } = caller;
    // 1. Extract the key. The HTTP adapter has chosen, recognised and hashed it.
    if (key === null) return unauthenticated(guardAddress, address, 'key_missing');
    // 2. Verify its hash.
    if (key === 'malformed') return unauthenticated(guardAddress, address, 'key_unknown');
    return andThen(gate.find(key), (entry) => {
      if (entry === null) return unauthenticated(guardAddress, address, 'key_unknown');
      const { subscription } = entry;
      const { id } = entry.key;
      // 3. The state of the key, 4. of its subscription, and the addresses and the scope of the key.
      const refusal = whyKeyRefused(entry, now, caller.source);
      if (refusal !== null) {
        return refused({ guardAddress, counters, openWindows }, address, entry, refusal, now);
      }
      // 5. The rate limits of the subscription, and those of the key.
      const own = ownLimitsOf(entry);
      const { open, permits } = openWindows(subscription, now, id, own);
      return andThen(counters.take(permits, cost), ({ granted, counts, receipt: taken }) => {
        const limits = limitsOf(open, counts);
        const overLimit = whyOverLimit(limits, granted, cost);
        // A limit that the owner has set below the plan is no sign of abuse.
        noteUse(id, subscription, caller.network, overLimit !== null && isOverPlan(overLimit));
        const { id: subscriptionId, plan } = subscription;
        if (overLimit !== null) return { admitted: false, key: id, plan, refusal: overLimit, limits };
        keyUses.note(id, now);
        const receipt = cost === 0 ? null : taken;
        return { admitted: true, key: id, subscription: subscriptionId, plan, limits, own, receipt };
      });
    });
  };

export type AdmitRequest = ReturnType<typeof admitRequest>;

/** The limits that the owner of a key has set for it. */
const ownLimitsOf = ({ key: { controls } }: GateEntry): OwnLimits | null =>
  controls === null ? null : setLimits(controls);

/** Steps 3 and 4 of the gateway, then the allowlist and the scope of the key; null if it is admitted. `source` null: any address. */
export function whyKeyRefused(
  { key, subscription }: GateEntry,
  now: Moment,
  source: string | null,
): Refusal | null {
  const refusal =
    whyAccessRefused(subscription, now, stateAt(key, now)) ??
    (source === null ? null : whyAddressRefused(key.controls, source));
  if (refusal !== null) return refusal;
  return key.scopes.includes(FEED_SCOPE) ? null : refuse('insufficient_scope');
}

/** Counts the request against the client address. Over the limit of the address the refusal is `rate_limited` (D33). */
export async function unauthenticated(
  guardAddress: GuardAddress,
  address: string,
  code: 'key_missing' | 'key_unknown',
): Promise<Admission> {
  const { granted, limits } = await guardAddress.take(address);
  const refusal = granted === 0 ? rateLimited(limits) : refuse(code);
  return { admitted: false, key: null, plan: null, refusal, limits };
}

/** Takes no permit. A 401 has the limits of the client address, a 402 or 403 those of the subscription (D34). */
async function refused(
  {
    guardAddress,
    counters,
    openWindows,
  }: Pick<AdmitRequestParts, 'guardAddress' | 'counters' | 'openWindows'>,
  address: string,
  entry: GateEntry,
  refusal: Refusal,
  now: Moment,
): Promise<Admission> {
  const { subscription } = entry;
  const { id: key } = entry.key;
  const { plan } = subscription;
  if (refusal.refused === 'key_revoked') {
    return { admitted: false, key, plan, refusal, limits: await guardAddress.peek(address) };
  }
  const { open, permits } = openWindows(subscription, now, key, ownLimitsOf(entry));
  const { counts } = await counters.take(permits, 0);
  return { admitted: false, key, plan, refusal, limits: limitsOf(open, counts) };
}
