import type { KeyId } from '../../../domain/keys/api-key.js';
import type { UsageCount } from '../../../domain/limits/usage.js';
import type { Moment } from '../../../domain/moment.js';

/**
 * How many requests were answered: by key, hour and class of status.
 *
 * What each adapter keeps:
 * - noting costs a request next to nothing and can fail nothing; while the store is away what was noted waits in
 *   memory, and what an instance noted in its last seconds before it dies is lost;
 * - what several instances note adds up, and each shows what it noted itself at once, others a little later;
 * - counts stand for 31 days; older ones are dropped when later hours come;
 * - one that cannot answer in time throws `Unavailable`.
 */
export interface UsageHistory {
  /** One request with that key was answered with that status. */
  note(key: KeyId, status: number, at: Moment): void;
  /** What is known of these keys, of hours that begin at `since` or later: each key, hour and class at most once, in any order. */
  of(keys: readonly KeyId[], since: Moment): Promise<readonly UsageCount[]>;
}
