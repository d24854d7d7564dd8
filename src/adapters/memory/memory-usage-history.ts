import type { UsageHistory } from '../../application/ports/usage-history.js';
import { UsageTally } from '../../application/usage-tally.js';
import type { KeyId } from '../../domain/api-key.js';
import type { Moment } from '../../domain/moment.js';
import type { UsageCount } from '../../domain/usage.js';

export class MemoryUsageHistory implements UsageHistory {
  readonly #tally = new UsageTally();

  note(key: KeyId, status: number, at: Moment): void {
    this.#tally.note(key, status, at);
  }

  async of(keys: readonly KeyId[], since: Moment): Promise<readonly UsageCount[]> {
    return this.#tally.of(keys, since);
  }
}
