import type { Notice } from '../../../domain/accounts/notice.js';
import type { Moment } from '../../../domain/moment.js';

export type QueuedNotice = {
  readonly id: string;
  readonly notice: Notice;
  /** How often it was claimed, this time included. */
  readonly attempts: number;
};

/**
 * Notices on their way out. They come in with the change that they tell of, in its transaction (`Accounts`).
 *
 * What each adapter keeps:
 * - an occasion of an account is in it once, for good;
 * - a notice is claimed by one caller; nobody else gets it before it is put back. One whose claimer died is given
 *   to nobody: it may have been sent, and each is sent at most once.
 */
export interface Outbox {
  /** Notices that wait and are due by `now`, the oldest first, at most `count`. */
  claim(now: Moment, count: number): Promise<readonly QueuedNotice[]>;
  /** Done with, however it went. */
  close(id: string, how: 'sent' | 'refused' | 'in doubt'): Promise<void>;
  putBack(id: string, dueAt: Moment): Promise<void>;
}
