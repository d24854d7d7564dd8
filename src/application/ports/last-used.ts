import type { KeyId } from '../../domain/api-key.js';
import type { Moment } from '../../domain/moment.js';

/** When a key was last admitted. Best effort: noting it costs a request nothing and can fail nothing. */
export interface LastUsed {
  note(key: KeyId, at: Moment): void;
  of(key: KeyId): Promise<Moment | null>;
}
