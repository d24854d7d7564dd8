import type { Account } from '../../../domain/accounts/account.js';
import type { Subscription } from '../../../domain/billing/subscription.js';

/** What the column `account.body` holds: the account as JSON. Some fields keep the names of 0.2.0, which reads them too. */
export type AccountBody = Omit<Account, 'subscription'> & {
  readonly subscription: Omit<Subscription, 'suspension' | 'monitoring'> & {
    readonly standing: Subscription['suspension'];
    readonly watch: Subscription['monitoring'];
  };
};

export function accountOf({ subscription, ...account }: AccountBody): Account {
  const { standing, watch, ...others } = subscription;
  return { ...account, subscription: { ...others, suspension: standing, monitoring: watch } };
}

export function bodyOf({ subscription, ...account }: Account): AccountBody {
  const { suspension, monitoring, ...others } = subscription;
  return { ...account, subscription: { ...others, standing: suspension, watch: monitoring } };
}
