import type { Account, AccountId, AuditEntry, Change } from '../../../domain/accounts/account.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import type { Moment } from '../../../domain/moment.js';
import type { Refusal } from '../../../domain/refusal.js';

/**
 * Every account with its keys, changed one decision at a time.
 *
 * What each adapter keeps:
 * - two changes of one account never overlap: the later decision sees what the earlier one wrote;
 * - state, audit entries and the notices that the change is to be told as (`noticesOf`) are stored together or
 *   not at all;
 * - a refusal, or a `decide` that throws, leaves no trace;
 * - no two accounts have the same e-mail or the same processor customer (D42), also when both are
 *   opened at once;
 * - what was returned is stored: a reader that starts later finds it;
 * - an account that was claimed is given to nobody else until it is changed, or its claimer is taken to be dead;
 * - when the store cannot answer in time it throws `Unavailable`, and nothing was written or all was.
 *
 * `decide` is pure: an adapter may call it more than once.
 */
export interface Accounts {
  /** Refuses `account_exists`. */
  open(opening: Change): Promise<Account | Refusal>;
  /** Refuses `not_found`, `account_exists` (D42), and whatever `decide` refuses. */
  change(id: AccountId, decide: (account: Account) => Change | Refusal): Promise<Account | Refusal>;
  find(id: AccountId): Promise<Account | null>;
  /** `email` in any case. */
  findByEmail(email: string): Promise<Account | null>;
  findByKey(key: KeyId): Promise<Account | null>;
  /** Those that have, or had, a key that begins so (D42): nearly always one, and at most ten. */
  findByKeyPrefix(prefix: string): Promise<readonly Account[]>;
  /** Everything that was done to an account and its keys, in the order it was done. */
  auditOf(id: AccountId): Promise<readonly AuditEntry[]>;
  /** Claims accounts that something falls due on by `now` (`nextDue`), the most overdue first, at most `count`. */
  claimDue(now: Moment, count: number): Promise<readonly AccountId[]>;
  /** Whether something is due by `now`, claimed or not. */
  isAnyDue(now: Moment): Promise<boolean>;
}
