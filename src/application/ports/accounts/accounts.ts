import type { Account, AccountId, AuditEntry, Change } from '../../../domain/accounts/account.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import type { Moment } from '../../../domain/moment.js';
import type { Refusal } from '../../../domain/refusal.js';

/**
 * All accounts with their keys. Each change is one decision on one account.
 *
 * What every adapter guarantees:
 * - changes of one account are serialised: the later decision sees the result of the earlier one;
 * - state, audit entries and the notices of the change (`noticesOf`) are stored in one transaction;
 * - a refusal, or a `decide` that throws, leaves no trace;
 * - no two accounts have the same email address or the same processor customer (D42), even if both are opened
 *   concurrently;
 * - a returned account is stored: a reader that starts later finds it;
 * - no other caller can claim a claimed account until it is changed or postponed, or until the claim expires;
 * - a store that cannot answer in time throws `Unavailable`; then it wrote all of the change, or nothing.
 *
 * `decide` is pure: an adapter may call it more than once.
 */
export interface Accounts {
  /** Refuses `account_exists`. */
  open(opening: Change): Promise<Account | Refusal>;
  /** Refuses `not_found`, `account_exists` (D42), and whatever `decide` refuses. */
  change(id: AccountId, decide: (account: Account) => Change | Refusal): Promise<Account | Refusal>;
  find(id: AccountId): Promise<Account | null>;
  /** Those of these accounts that exist, in any order. */
  findAll(ids: readonly AccountId[]): Promise<readonly Account[]>;
  /** `email` in any letter case. */
  findByEmail(email: string): Promise<Account | null>;
  /** The account of a key. Its keys include this one, also if the account no longer lists it. */
  findByKey(key: KeyId): Promise<Account | null>;
  /** Accounts with a current or former key that begins with `prefix` (D42): nearly always one, and at most ten. */
  findByKeyPrefix(prefix: string): Promise<readonly Account[]>;
  /** The audit entries of an account and its keys, oldest first. */
  auditOf(id: AccountId): Promise<readonly AuditEntry[]>;
  /** Claims accounts with work due by `now` (`nextDue`), the most overdue first, at most `count`. */
  claimDue(now: Moment, count: number): Promise<readonly AccountId[]>;
  /**
   * Moves the due work of an account to `until`, because it cannot be done now. The next change of its state
   * computes the time anew. Reads no account, so it works for one that cannot be read.
   */
  postponeDue(id: AccountId, until: Moment): Promise<void>;
  /** Whether any account has work due by `now`, claimed or not. */
  isAnyDue(now: Moment): Promise<boolean>;
}
