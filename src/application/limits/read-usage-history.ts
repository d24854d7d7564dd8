import type { KeyId } from '../../domain/keys/api-key.js';
import { type HourlyUsage, hourlySince, hourlyUsage } from '../../domain/limits/hourly-usage.js';
import type { Moment } from '../../domain/moment.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { UsageHistory } from '../ports/limits/usage-history.js';

type Parts = {
  readonly accounts: Pick<Accounts, 'findByKey'>;
  readonly usage: Pick<UsageHistory, 'of'>;
  readonly clock: Clock;
};

/** `since`: the first hour; earlier ones are left out. */
export type ReadUsage = { readonly since: Moment; readonly hours: readonly HourlyUsage[] };

/** Reads the requests of the last 30 days with all keys of the account of this key, also revoked ones (D74). */
export const readUsageHistory = ({ accounts, usage, clock }: Parts) =>
  async function readUsageHistory(key: KeyId): Promise<ReadUsage> {
    const since = hourlySince(clock());
    const account = await accounts.findByKey(key);
    const keys = account?.keys.map(({ id }) => id) ?? [];
    return { since, hours: hourlyUsage(await usage.of(keys, since), since) };
  };

export type ReadUsageHistory = ReturnType<typeof readUsageHistory>;
