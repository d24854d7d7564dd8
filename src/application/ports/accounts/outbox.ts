import type { AccountId } from '../../../domain/accounts/account.js';
import type { Notice } from '../../../domain/accounts/notice.js';
import type { Moment } from '../../../domain/moment.js';

export type QueuedNotice = {
  readonly id: string;
  readonly notice: Notice;
  /** How often it was claimed, including this time. */
  readonly attempts: number;
};

/**
 * Notices to be sent. `Accounts` stores those of a change in the transaction of the change.
 *
 * What every adapter guarantees:
 * - each occasion of an account is stored once, until its closed notice is deleted (`ExpiredRows`);
 * - no other caller can claim a claimed notice until it is put back. If the instance that claimed it was killed, it is
 *   never sent again: it may have been sent, and each notice is sent at most once (D102).
 */
export interface Outbox {
  /** Stores a notice of an existing account that belongs to no change. */
  queue(account: AccountId, notice: Notice, dueAt: Moment): Promise<void>;
  /** Waiting notices due by `now`, the oldest first, at most `count`. */
  claim(now: Moment, count: number): Promise<readonly QueuedNotice[]>;
  /** Records the final outcome of a notice. */
  close(id: string, outcome: 'sent' | 'refused' | 'in doubt'): Promise<void>;
  putBack(id: string, dueAt: Moment): Promise<void>;
}
