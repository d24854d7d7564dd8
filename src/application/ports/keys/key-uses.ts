import type { KeyId } from '../../../domain/keys/api-key.js';
import type { Moment } from '../../../domain/moment.js';

/** The first and the last request with a key that were admitted. */
export type KeyUse = { readonly firstAt: Moment; readonly lastAt: Moment };

/** When keys were used. Best effort: `note` is cheap and never fails a request. */
export interface KeyUses {
  note(key: KeyId, at: Moment): void;
  /**
   * The uses of each of these keys, without keys that were never used. It makes one query for any number of keys.
   */
  of(keys: readonly KeyId[]): Promise<ReadonlyMap<KeyId, KeyUse>>;
}
