import type { KeyId } from '../../../domain/keys/api-key.js';
import type { Moment } from '../../../domain/moment.js';

/** When a key was last admitted. Best effort: `note` is cheap and never fails a request. */
export interface LastUsed {
  note(key: KeyId, at: Moment): void;
  /**
   * The last use of each of these keys, without keys that were never used. It makes one query for any number of keys.
   */
  of(keys: readonly KeyId[]): Promise<ReadonlyMap<KeyId, Moment>>;
}
