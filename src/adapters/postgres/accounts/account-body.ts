import type { Account } from '../../../domain/accounts/account.js';
import type { Subscription } from '../../../domain/billing/subscription.js';

/**
 * The JSON in the column `account.body`. Some fields have their names of version 0.2.0, because that version also reads
 * them.
 */
export type AccountBody = Omit<Account, 'subscription' | 'closedKeys'> & {
  /** Absent if it is 0, and in the rows of versions that close no keys. */
  readonly closedKeys?: number;
  readonly subscription: Omit<Subscription, 'suspension' | 'monitoring'> & {
    readonly standing: Subscription['suspension'];
    readonly watch: Subscription['monitoring'];
  };
};

export function accountOf({ subscription, closedKeys = 0, ...account }: AccountBody): Account {
  const { standing, watch, ...others } = subscription;
  return { ...account, closedKeys, subscription: { ...others, suspension: standing, monitoring: watch } };
}

export function bodyOf({ subscription, closedKeys, ...account }: Account): AccountBody {
  const { suspension, monitoring, ...others } = subscription;
  const closed = closedKeys === 0 ? {} : { closedKeys };
  return { ...account, ...closed, subscription: { ...others, standing: suspension, watch: monitoring } };
}
