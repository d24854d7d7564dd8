import type { KeyId } from '../../domain/keys/api-key.js';
import { type HourlyUsage, hourlySince, hourlyUsage } from '../../domain/limits/hourly-usage.js';
import type { Moment } from '../../domain/moment.js';
import type { Clock } from '../ports/clock.js';
import type { AccountUsage } from '../ports/limits/account-usage.js';

/** `since`: the first hour; earlier ones are left out. */
export type ReadUsage = { readonly since: Moment; readonly hours: readonly HourlyUsage[] };

/** Reads the requests of the last 30 days with all keys of the account of this key, also revoked ones (D74). */
export const readUsageHistory = ({
  accountUsage,
  clock,
}: {
  readonly accountUsage: Pick<AccountUsage, 'hours'>;
  readonly clock: Clock;
}) =>
  async function readUsageHistory(key: KeyId): Promise<ReadUsage> {
    const since = hourlySince(clock());
    return { since, hours: hourlyUsage(await accountUsage.hours(key, since), since) };
  };

export type ReadUsageHistory = ReturnType<typeof readUsageHistory>;
