import type { PlanName } from '../../domain/billing/plan.js';
import type { KeyHash } from '../../domain/keys/key-value.js';
import { limitsOf, permitOf, type Window, whyOverLimit, windows } from '../../domain/limits/rate-limit.js';
import {
  accountInSandbox,
  addressInSandbox,
  SANDBOX_POLICY,
  SANDBOX_STREAMS,
  type SandboxUser,
  whySandboxRefused,
} from '../../domain/limits/sandbox-limits.js';
import type { Moment } from '../../domain/moment.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import type { Clock } from '../ports/clock.js';
import type { FindSandboxHolder } from '../ports/keys/sandbox-keys.js';
import type { Counters } from '../ports/limits/counters.js';
import { type AdmitRequest, unauthenticated } from './admit-request.js';
import type { CheckStream } from './check-stream.js';
import type { GuardAddress } from './guard-address.js';
import type { OpenWindows } from './open-windows.js';

/** The plan that stands in for that of a subscription, which the sandbox does not read. */
export const SANDBOX_PLAN: PlanName = 'free';

type UserParts = {
  readonly findSandboxHolder: FindSandboxHolder;
  /** The hash of the public key. */
  readonly publicKey: KeyHash;
};

type Found = { readonly user: SandboxUser; readonly refusal: Refusal | null };

/** Who uses a sandbox key; null if the key does not exist. */
async function found(parts: UserParts, hash: KeyHash, address: string): Promise<Found | null> {
  if (hash === parts.publicKey) return { user: addressInSandbox(address), refusal: null };
  const holder = await parts.findSandboxHolder(hash);
  if (holder === null) return null;
  return { user: accountInSandbox(holder.account), refusal: whySandboxRefused(holder.causes) };
}

const windowsOf = (subscription: string, now: Moment): readonly Window[] =>
  windows(subscription, [SANDBOX_POLICY], now);

/** The gateway checks for sandbox keys (D77). They read no subscription, and note no use and no abuse. */
export const admitSandbox = (
  parts: UserParts & {
    readonly counters: Counters;
    readonly guardAddress: GuardAddress;
    readonly clock: Clock;
  },
): AdmitRequest =>
  async function admitSandbox({ key: hash, address }, cost = 1) {
    const { counters, guardAddress, clock } = parts;
    const known = hash === null || hash === 'malformed' ? null : await found(parts, hash, address);
    if (known === null) return unauthenticated(guardAddress, address, 'key_unknown');
    const { user, refusal } = known;
    const open = windowsOf(user.subscription, clock());
    const needed = refusal === null ? cost : 0;
    const { granted, counts, receipt } = await counters.take(open.map(permitOf), needed);
    const limits = limitsOf(open, counts);
    const why = refusal ?? whyOverLimit(limits, granted, needed);
    const plan = SANDBOX_PLAN;
    if (why !== null) return { admitted: false, key: user.key, plan, refusal: why, limits };
    return { admitted: true, ...user, plan, limits, own: null, receipt: cost === 0 ? null : receipt };
  };

/** Whether the key of an open stream may still use the sandbox. */
export const checkSandboxStream = (parts: UserParts): CheckStream =>
  async function checkSandboxStream(hash, source = '') {
    const known = await found(parts, hash, source ?? '');
    if (known === null) return refuse('key_unknown');
    if (known.refusal !== null) return known.refusal;
    return {
      subscription: known.user.subscription,
      allowed: SANDBOX_STREAMS,
      endsAt: null,
      controls: null,
    };
  };

/** The windows of a user of the sandbox, for the permits of replays. */
export const sandboxWindows: OpenWindows = ({ id }, now) => {
  const open = windowsOf(id, now);
  return { open, permits: open.map(permitOf) };
};
