import type { Account, AccountId, Change } from '../../../domain/accounts/account.js';
import type { Moment } from '../../../domain/moment.js';
import type { Refusal } from '../../../domain/refusal.js';

/** A person at an identity provider. */
export type Identity = { readonly issuer: string; readonly subject: string };

export type JoinedIdentity = Identity & { readonly joinedAt: Moment };

/** Creates the audit record of a change of identities. Pure, and changes no key, so that no copy becomes outdated. */
export type RecordChange = (account: Account) => Change;

/**
 * The account that each person at an identity provider signs in to.
 *
 * What every adapter guarantees:
 * - an identity belongs to one account until it is removed: the first of several concurrent joins wins, and all of them
 *   return its account;
 * - an identity is stored or removed in the transaction that stores its record (audit entries and notices, as in
 *   `Accounts`), so that no identity can sign in without a notice to the owner;
 * - a join of an identity that has an account already records nothing;
 * - no identity joins a deleted account: `join` throws `NotNow`, and the next attempt finds another account;
 * - removed identities are gone for every instance; those of other accounts stay;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface Identities {
  accountOf(identity: Identity): Promise<AccountId | null>;
  join(identity: JoinedIdentity, account: AccountId, record: RecordChange): Promise<AccountId>;
  /** In the order in which they joined. */
  of(account: AccountId): Promise<readonly JoinedIdentity[]>;
  /** The removal is recorded also if the account has no identity. Refuses `not_found`, for a deleted account too. */
  removeAll(account: AccountId, record: RecordChange): Promise<Account | Refusal>;
}
