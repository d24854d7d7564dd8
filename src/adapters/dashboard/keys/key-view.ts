import type { LastUsed } from '../../../application/ports/last-used.js';
import type { UsageHistory } from '../../../application/ports/usage-history.js';
import type { Account } from '../../../domain/account.js';
import { openPredecessor, openSuccessor, whyNotRotate } from '../../../domain/allowance.js';
import { type ApiKey, derivedState, graceUntil, type KeyState } from '../../../domain/api-key.js';
import { type Moment, startOfDay } from '../../../domain/moment.js';
import { isRefusal, type Refusal } from '../../../domain/refusal.js';
import { admittedBySubscription } from '../../../domain/subscription.js';
import { requestsToday } from '../../../domain/usage.js';

/** A key as its holder sees it. */
export type KeyView = {
  readonly key: ApiKey;
  readonly state: KeyState;
  readonly graceUntil: Moment | null;
  /** Whether a request with it gets 200, as far as key and subscription go. */
  readonly isServed: boolean;
  readonly predecessor: ApiKey | null;
  readonly successor: ApiKey | null;
  readonly whyNotRotate: Refusal | null;
  readonly lastUsedAt: Moment | null;
  readonly requestsToday: number;
};

/** Reads what the pages on keys show. */
export const keyViews =
  ({ lastUsed, usage }: { readonly lastUsed: LastUsed; readonly usage: UsageHistory }) =>
  async (account: Account, keys: readonly ApiKey[], now: Moment): Promise<readonly KeyView[]> => {
    const ids = keys.map(({ id }) => id);
    const [counts, used] = await Promise.all([usage.of(ids, startOfDay(now)), lastUsed.of(ids)]);
    return keys.map((key) => ({
      ...standingOf(account, key, now),
      lastUsedAt: used.get(key.id) ?? null,
      requestsToday: requestsToday(counts, key.id, now),
    }));
  };

export type KeyViews = ReturnType<typeof keyViews>;

function standingOf(account: Account, key: ApiKey, now: Moment) {
  const { subscription, keys } = account;
  const state = derivedState(key.state, subscription.standing);
  const until = graceUntil(state, now);
  const works = state.status === 'active' || until !== null;
  return {
    key,
    state,
    graceUntil: until,
    isServed: works && !isRefusal(admittedBySubscription(subscription)),
    predecessor: openPredecessor(keys, key) ?? null,
    successor: openSuccessor(keys, key) ?? null,
    whyNotRotate: whyNotRotate(subscription, keys, key),
  };
}
