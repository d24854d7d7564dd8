import type {
  AccountStatistics,
  CountedBatch,
  CountedSubscriptionState,
} from '../../../application/ports/accounts/account-statistics.js';
import type { Account, AccountId } from '../../../domain/accounts/account.js';
import { isServedState, type Subscription } from '../../../domain/billing/subscription.js';
import type { KeyState } from '../../../domain/keys/api-key.js';

/** Counts the accounts of one process. */
export class MemoryAccountStatistics implements AccountStatistics {
  readonly #accounts: { all(): Iterable<Account> };

  constructor(accounts: { all(): Iterable<Account> }) {
    this.#accounts = accounts;
  }

  async count(after: AccountId | null, count: number): Promise<CountedBatch> {
    const sorted = [...this.#accounts.all()].sort((a, b) => (a.id < b.id ? -1 : 1));
    const left = sorted.filter(({ id }) => after === null || id > after);
    const accounts = left.slice(0, count);
    return {
      keys: counted(accounts.flatMap(statesOf)),
      subscriptions: counted(
        accounts.map(({ subscription }) => ({ plan: subscription.plan, state: stateOf(subscription) })),
      ),
      last: left.length < count ? null : (accounts.at(-1)?.id ?? null),
    };
  }
}

/** The keys that the account no longer lists are revoked. */
const statesOf = ({ keys, closedKeys }: Account): readonly { readonly state: KeyState['status'] }[] => [
  ...keys.map(({ state }) => ({ state: state.status })),
  ...Array.from({ length: closedKeys }, () => ({ state: 'revoked' as const })),
];

const stateOf = ({ state, suspension }: Subscription): CountedSubscriptionState =>
  isServedState(state) && suspension.status === 'suspended' ? 'suspended' : state;

function counted<Group extends object>(
  groups: readonly Group[],
): readonly (Group & { readonly count: number })[] {
  const counts = new Map<string, Group & { readonly count: number }>();
  for (const group of groups) {
    const name = JSON.stringify(group);
    counts.set(name, { ...group, count: (counts.get(name)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}
