import type { KeyUses } from '../../../application/ports/keys/key-uses.js';
import type { UsageHistory } from '../../../application/ports/limits/usage-history.js';
import type { Account } from '../../../domain/accounts/account.js';
import { whyNotRetire } from '../../../domain/keys/account-keys.js';
import { whyNotRotate } from '../../../domain/keys/allowance.js';
import { type ApiKey, derivedState, graceUntil, type KeyState } from '../../../domain/keys/api-key.js';
import { openPredecessor, openSuccessor, retiresAt } from '../../../domain/keys/overlap.js';
import { type AccessRefusal, whyAccessRefused } from '../../../domain/limits/admission.js';
import {
  LAST_24_HOURS,
  requestsToday,
  spanStart,
  type UsageBucket,
  usageOver,
  wereOnlyRefusedToday,
} from '../../../domain/limits/usage.js';
import { earliest, type Moment, startOfDay } from '../../../domain/moment.js';
import type { Refusal } from '../../../domain/refusal.js';

/** A key as the pages show it. */
export type KeyView = {
  readonly key: ApiKey;
  readonly state: KeyState;
  readonly graceUntil: Moment | null;
  /** Why requests with the key are refused; null if they are served. */
  readonly refusal: AccessRefusal | null;
  readonly predecessor: ApiKey | null;
  readonly successor: ApiKey | null;
  readonly whyNotRotate: Refusal | null;
  readonly whyNotRetire: Refusal | null;
  readonly lastUsedAt: Moment | null;
  /** When the service retires the predecessor; null before the first use, and if it does not. */
  readonly retiresPredecessorAt: Moment | null;
  readonly requestsToday: number;
  /** There were requests today, and all of them were refused. */
  readonly onlyRefusedToday: boolean;
  /** The last 24 hours. */
  readonly hours: readonly UsageBucket[];
};

/** Reads usage and last use of keys for the pages that show them. */
export const keyViews =
  ({ keyUses, usage }: { readonly keyUses: KeyUses; readonly usage: UsageHistory }) =>
  async (account: Account, keys: readonly ApiKey[], now: Moment): Promise<readonly KeyView[]> => {
    const ids = keys.map(({ id }) => id);
    const since = earliest(startOfDay(now), spanStart(LAST_24_HOURS, now));
    const [counts, uses] = await Promise.all([usage.of(ids, since), keyUses.of(ids)]);
    return keys.map((key) => {
      const { firstAt = null, lastAt = null } = uses.get(key.id) ?? {};
      return {
        ...stateOf(account, key, now),
        lastUsedAt: lastAt,
        retiresPredecessorAt: retiresAt(key, firstAt),
        requestsToday: requestsToday(counts, key.id, now),
        onlyRefusedToday: wereOnlyRefusedToday(counts, key.id, lastAt, now),
        hours: usageOver(LAST_24_HOURS, counts, now, key.id),
      };
    });
  };

export type KeyViews = ReturnType<typeof keyViews>;

function stateOf(account: Account, key: ApiKey, now: Moment) {
  const { subscription, keys } = account;
  const state = derivedState(key.state, subscription.suspension);
  return {
    key,
    state,
    graceUntil: graceUntil(state, now),
    refusal: whyAccessRefused(subscription, now, key.state),
    predecessor: openPredecessor(keys, key) ?? null,
    successor: openSuccessor(keys, key) ?? null,
    whyNotRotate: whyNotRotate(account, key, now),
    whyNotRetire: whyNotRetire(account, key.id),
  };
}
