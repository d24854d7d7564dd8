import type { AccountId } from '../../../domain/accounts/account.js';
import type { PlanName } from '../../../domain/billing/plan.js';
import { SUBSCRIPTION_STATES } from '../../../domain/billing/subscription.js';
import type { KeyState } from '../../../domain/keys/api-key.js';

/** The state of a subscription for statistics. `suspended`: it is served by its state, but has a suspension cause. */
export const COUNTED_SUBSCRIPTION_STATES = [...SUBSCRIPTION_STATES, 'suspended'] as const;
export type CountedSubscriptionState = (typeof COUNTED_SUBSCRIPTION_STATES)[number];

export type AccountCounts = {
  readonly keys: readonly { readonly state: KeyState['status']; readonly count: number }[];
  readonly subscriptions: readonly {
    readonly plan: PlanName;
    readonly state: CountedSubscriptionState;
    readonly count: number;
  }[];
};

/** The counts of some accounts. */
export type CountedBatch = AccountCounts & {
  /** The last of these accounts; null if no account follows it. */
  readonly last: AccountId | null;
};

/** Counts keys and subscriptions by state, for metrics: in batches, because one query over all accounts takes too long. */
export interface AccountStatistics {
  /**
   * Counts at most this number of accounts after another one, in the order of their ids. A state without keys or subscriptions may be absent. A key counts
   * by its own state, without that of its subscription.
   */
  count(after: AccountId | null, accounts: number): Promise<CountedBatch>;
}
