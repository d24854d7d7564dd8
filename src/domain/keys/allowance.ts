import type { Account } from '../accounts/account.js';
import type { Plan } from '../billing/plan.js';
import { admittedBySubscription, type Subscription } from '../billing/subscription.js';
import { DAY, type Moment, plus } from '../moment.js';
import { type Refusal, refuse } from '../refusal.js';
import { type ApiKey, causesOf, derivedState } from './api-key.js';
import { REVOKED_KEYS_LISTED } from './listed-keys.js';
import { openPredecessor, openSuccessor } from './overlap.js';

/** A key that was revoked while on hold counts against the allowance until it is released (D21). */
const isInUse = ({ state }: ApiKey): boolean => state.status !== 'revoked' || state.held;

/**
 * The number of keys that count against the allowance. During an overlap, a key and its successor count as one (D23).
 */
export const keysInUse = (keys: readonly ApiKey[]): number =>
  keys.filter(isInUse).length - keys.filter((key) => openSuccessor(keys, key) !== undefined).length;

type Holder = Pick<Account, 'subscription' | 'keys' | 'closedKeys'>;

/** Why the account cannot get another key (contract section 5.3, D21, D23, D24); null if it can. */
export function whyNotIssue(holder: Holder, plan: Plan, now: Moment): Refusal | null {
  const noNewKeys = whyNoNewKeys(holder.subscription);
  if (noNewKeys !== null) return noNewKeys;
  return keysInUse(holder.keys) < plan.keys
    ? whyTooMany(holder, now)
    : { refused: 'allowance_exceeded', allowance: plan.keys };
}

/** Why a key cannot be rotated (D21, D23); null if it can. */
export function whyNotRotate(holder: Holder, key: ApiKey, now: Moment): Refusal | null {
  const { subscription, keys } = holder;
  if (key.state.status === 'revoked') return refuse('key_revoked');
  const causes = causesOf(derivedState(key.state, subscription.suspension));
  if (causes.length > 0) return { refused: 'key_suspended', causes };
  const noNewKeys = whyNoNewKeys(subscription);
  if (noNewKeys !== null) return noNewKeys;
  const overlaps = openPredecessor(keys, key) !== undefined || openSuccessor(keys, key) !== undefined;
  return overlaps ? refuse('rotation_open') : whyTooMany(holder, now);
}

/**
 * An account gets at most so many keys in 24 hours, and at most so many in all, rotations included (D23): each key is a row
 * that is kept for ever. The keys of 24 hours are all listed, because an account lists at least as many revoked ones
 * (`listed-keys.ts`).
 */
const KEYS_PER_DAY: number = REVOKED_KEYS_LISTED;
const KEYS_PER_ACCOUNT = 10_000;

function whyTooMany({ keys, closedKeys }: Holder, now: Moment): Refusal<'too_many_keys'> | null {
  if (keys.length + closedKeys >= KEYS_PER_ACCOUNT)
    return { refused: 'too_many_keys', limit: KEYS_PER_ACCOUNT, nextAt: null };
  const last = keys.at(-KEYS_PER_DAY);
  const nextAt = last === undefined ? now : plus(last.issuedAt, DAY);
  return nextAt > now ? { refused: 'too_many_keys', limit: KEYS_PER_DAY, nextAt } : null;
}

/** A new key must not bypass a suspension (D21). */
function whyNoNewKeys(subscription: Subscription): Refusal | null {
  const causes = causesOf(subscription.suspension);
  if (causes.length > 0) return { refused: 'key_suspended', causes };
  if (subscription.state === 'canceled') return refuse('payment_required');
  const answer = admittedBySubscription(subscription);
  return 'refused' in answer ? answer : null;
}
