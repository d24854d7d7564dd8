import type { ApiKey } from '../keys/api-key.js';
import { areRevoked } from '../keys/api-key.js';
import { SUSPENSION_CAUSES, SUSPENSIONS, type SuspensionCause } from '../keys/suspension.js';
import type { Limit } from '../limits/rate-limit.js';
import type { Moment } from '../moment.js';
import { type Obstacle, obstaclesOf } from './access.js';
import type { Account, AuditEntry } from './account.js';

/** Why a customer is refused, as an operator asks it: also by what is no obstacle of the account. */
export type RefusalCause = Obstacle | 'keys_revoked' | 'no_key' | 'key_hold' | 'quota_used';

/** What ends a refusal. `payment`: the customer pays at the processor. `none`: nothing does, or only time. */
export type Mend = 'payment' | 'release' | 'lift-abuse' | 'release-key' | 'new-key' | 'none';

// biome-ignore format: a table is read by its columns
export const MENDS: Readonly<Record<RefusalCause, Mend>> = {
  canceled:        'none',
  incomplete:      'payment',
  paused:          'payment',
  unpaid:          'payment',
  payment_failure: 'payment',
  abuse:           'lift-abuse',
  manual_hold:     'release',
  key_hold:        'release-key',
  keys_revoked:    'new-key',
  no_key:          'new-key',
  quota_used:      'none',
};

export type Diagnosis = {
  readonly cause: RefusalCause;
  /** Null if it is not known. */
  readonly since: Moment | null;
  /** The only key that is concerned; null if all are. */
  readonly key: ApiKey | null;
  /** The limit that is used up; null for other causes. */
  readonly limit: Limit | null;
};

/**
 * All causes for which requests of an account are refused, the one that decides the answer first. `limits`: null while they cannot
 * be read.
 */
export function diagnose(
  account: Account,
  audit: readonly AuditEntry[],
  limits: readonly Limit[] | null,
  now: Moment,
): readonly Diagnosis[] {
  const obstacles = obstaclesOf(account.subscription).map((cause) => ({
    ...WHOLE_ACCOUNT,
    cause,
    since: startOf(cause, audit, null),
  }));
  return [...ofKeys(account, now), ...obstacles, ...heldKeys(account, audit), ...usedUp(limits)];
}

const WHOLE_ACCOUNT = { key: null, limit: null, since: null };

/** Keys that will never work again. A cancellation says so itself. */
function ofKeys({ keys, subscription }: Account, now: Moment): readonly Diagnosis[] {
  if (subscription.state === 'canceled') return [];
  if (keys.length === 0) return [{ ...WHOLE_ACCOUNT, cause: 'no_key' }];
  return areRevoked(keys, now) ? [{ ...WHOLE_ACCOUNT, cause: 'keys_revoked' }] : [];
}

const heldKeys = ({ keys }: Account, audit: readonly AuditEntry[]): readonly Diagnosis[] =>
  keys
    .filter(({ state }) => state.status === 'suspended')
    .map((key) => ({
      ...{ ...WHOLE_ACCOUNT, key, cause: 'key_hold' as const },
      since: startOf('manual_hold', audit, key),
    }));

/** The longest of the windows that are used up: the others end before it. */
function usedUp(limits: readonly Limit[] | null): readonly Diagnosis[] {
  const limit = limits?.filter(({ remaining }) => remaining === 0).toSorted((a, b) => b.endsAt - a.endsAt)[0];
  return limit === undefined ? [] : [{ ...WHOLE_ACCOUNT, cause: 'quota_used', limit }];
}

const isSuspension = (cause: Obstacle): cause is SuspensionCause =>
  SUSPENSION_CAUSES.some((one) => one === cause);

/** The audit log has each start of a suspension. It does not say which change of a subscription brought its state. */
function startOf(cause: Obstacle, audit: readonly AuditEntry[], key: ApiKey | null): Moment | null {
  if (!isSuspension(cause)) return null;
  const { starts } = SUSPENSIONS[cause];
  const of = key?.id ?? null;
  return audit.findLast((entry) => entry.event === starts && entry.key === of)?.at ?? null;
}
