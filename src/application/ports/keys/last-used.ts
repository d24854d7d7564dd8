import type { KeyId } from '../../../domain/keys/api-key.js';
import type { Moment } from '../../../domain/moment.js';

/** When a key was last admitted. Best effort: noting it costs a request nothing and can fail nothing. */
export interface LastUsed {
  note(key: KeyId, at: Moment): void;
  /** Of these keys those that were ever used; one question, however many they are. */
  of(keys: readonly KeyId[]): Promise<ReadonlyMap<KeyId, Moment>>;
}
