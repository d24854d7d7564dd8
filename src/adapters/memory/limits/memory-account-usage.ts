import type { AccountUsage } from '../../../application/ports/limits/account-usage.js';
import type { UsageHistory } from '../../../application/ports/limits/usage-history.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import { NO_REQUESTS, type StatusClass, type UsageCount } from '../../../domain/limits/usage.js';
import type { Moment } from '../../../domain/moment.js';
import type { MemoryAccounts } from '../accounts/memory-accounts.js';

export class MemoryAccountUsage implements AccountUsage {
  readonly #accounts: MemoryAccounts;
  readonly #usage: UsageHistory;

  constructor({ accounts, usage }: { readonly accounts: MemoryAccounts; readonly usage: UsageHistory }) {
    this.#accounts = accounts;
    this.#usage = usage;
  }

  async since(key: KeyId, from: Moment): Promise<Readonly<Record<StatusClass, number>>> {
    const total: Record<StatusClass, number> = { ...NO_REQUESTS };
    for (const { statusClass, requests } of await this.hours(key, from)) total[statusClass] += requests;
    return total;
  }

  hours(key: KeyId, from: Moment): Promise<readonly UsageCount[]> {
    return this.#usage.of(this.#accounts.keysBeside(key), from);
  }
}
