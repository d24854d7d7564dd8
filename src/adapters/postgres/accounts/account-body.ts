import type { Account } from '../../../domain/accounts/account.js';
import type { Subscription } from '../../../domain/billing/subscription.js';

/**
 * The JSON in the column `account.body`. Some fields have their names of version 0.2.0, because that version also reads
 * them.
 */
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
