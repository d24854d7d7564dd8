import type { RequestLogs } from '../../../application/ports/limits/request-logs.js';
import { isDeleted } from '../../../domain/accounts/account-deletion.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import { keptOfKeys, keptRequests, type LoggedRequest } from '../../../domain/limits/request-log.js';
import type { Moment } from '../../../domain/moment.js';
import type { MemoryAccounts } from '../accounts/memory-accounts.js';
import { oldest } from '../oldest.js';

export class MemoryRequestLogs implements RequestLogs {
  readonly #accounts: MemoryAccounts;
  readonly #byKey = new Map<KeyId, readonly LoggedRequest[]>();

  constructor({ accounts }: { readonly accounts: MemoryAccounts }) {
    this.#accounts = accounts;
  }

  async add(requests: readonly LoggedRequest[]): Promise<void> {
    for (const request of requests) {
      const account = await this.#accounts.findByKey(request.key);
      if (account === null || isDeleted(account)) continue;
      const earlier = this.#byKey.get(request.key) ?? [];
      this.#byKey.set(request.key, keptRequests([request, ...earlier]));
    }
  }

  async of(keys: readonly KeyId[], since: Moment): Promise<readonly LoggedRequest[]> {
    const found = [...new Set(keys)].flatMap((key) => this.#byKey.get(key) ?? []);
    return keptOfKeys(found.filter(({ at }) => at >= since));
  }

  /** Deletes requests that arrived until then, the oldest first. */
  deleteExpired(until: Moment, count: number): number {
    const all = [...this.#byKey.values()].flat();
    const expired = new Set(
      oldest(
        all.map((request) => [request, request.at] as const),
        until,
        count,
      ),
    );
    for (const [key, requests] of this.#byKey) {
      const left = requests.filter((request) => !expired.has(request));
      if (left.length === 0) this.#byKey.delete(key);
      else this.#byKey.set(key, left);
    }
    return expired.size;
  }

  deleteOf(keys: readonly KeyId[]): void {
    for (const key of keys) this.#byKey.delete(key);
  }
}
