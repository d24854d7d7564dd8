import type { KeyUse, KeyUses } from '../../../application/ports/keys/key-uses.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import { latest, type Moment } from '../../../domain/moment.js';

export class MemoryKeyUses implements KeyUses {
  readonly #uses = new Map<KeyId, KeyUse>();

  note(key: KeyId, at: Moment): void {
    const { firstAt, lastAt } = this.#uses.get(key) ?? { firstAt: at, lastAt: at };
    this.#uses.set(key, { firstAt, lastAt: latest(at, lastAt) });
  }

  async of(keys: readonly KeyId[]): Promise<ReadonlyMap<KeyId, KeyUse>> {
    return new Map(
      keys.flatMap((key) => {
        const use = this.#uses.get(key);
        return use === undefined ? [] : [[key, use]];
      }),
    );
  }
}
