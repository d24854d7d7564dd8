import type { LastUsed } from '../../../application/ports/keys/last-used.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import { latest, type Moment } from '../../../domain/moment.js';

export class MemoryLastUsed implements LastUsed {
  readonly #moments = new Map<KeyId, Moment>();

  note(key: KeyId, at: Moment): void {
    this.#moments.set(key, latest(at, this.#moments.get(key) ?? at));
  }

  async of(keys: readonly KeyId[]): Promise<ReadonlyMap<KeyId, Moment>> {
    return new Map(
      keys.flatMap((key) => {
        const at = this.#moments.get(key);
        return at === undefined ? [] : [[key, at]];
      }),
    );
  }
}
