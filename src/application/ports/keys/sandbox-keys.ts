import type { AccountId } from '../../../domain/accounts/account.js';
import type { KeyHash } from '../../../domain/keys/key-value.js';
import type { SuspensionCause } from '../../../domain/keys/suspension.js';
import type { Moment } from '../../../domain/moment.js';

/** The sandbox key of an account, as its owner sees it (D77). */
export type SandboxKey = { readonly prefix: string; readonly createdAt: Moment };

/** A new key, with the hash of its value. */
export type NewSandboxKey = SandboxKey & { readonly hash: KeyHash };

/** The account of a sandbox key, and the causes that suspend its subscription. */
export type SandboxHolder = { readonly account: AccountId; readonly causes: readonly SuspensionCause[] };

/** Finds the account of a sandbox key by the hash of the key. Null: there is no such key. */
export type FindSandboxHolder = (hash: KeyHash) => Promise<SandboxHolder | null>;

/**
 * The sandbox keys of all accounts.
 *
 * What every adapter guarantees:
 * - an account has at most one key: a new one replaces the one before, in one step;
 * - a deleted account has no key, and gets none;
 * - `find` shows every change that was made before the call;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface SandboxKeys {
  find(hash: KeyHash): ReturnType<FindSandboxHolder>;
  of(account: AccountId): Promise<SandboxKey | null>;
  /** False if there is no such account, or it is deleted. */
  put(account: AccountId, key: NewSandboxKey): Promise<boolean>;
  /** False if the account has no key. */
  remove(account: AccountId): Promise<boolean>;
}
