import { UsageTally } from '../../../application/limits/usage-tally.js';
import type { UsageHistory } from '../../../application/ports/limits/usage-history.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import type { UsageCount } from '../../../domain/limits/usage.js';
import type { Moment } from '../../../domain/moment.js';

export class MemoryUsageHistory implements UsageHistory {
  readonly #tally = new UsageTally();

  note(key: KeyId, status: number, at: Moment): void {
    this.#tally.note(key, status, at);
  }

  deleteExpired(until: Moment, count: number): number {
    return this.#tally.drop(until, count);
  }

  async of(keys: readonly KeyId[], since: Moment): Promise<readonly UsageCount[]> {
    return this.#tally.of(keys, since);
  }
}
