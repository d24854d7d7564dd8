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
 * What each adapter keeps:
 * - an identity belongs to one account until it is removed: of concurrent joins the first wins, and all of them return
 *   its account;
 * - an identity is stored in one transaction with its record (audit entries and notices, as in `Accounts`), and removed
 *   in one with it: no identity can sign in without a notice to the owner;
 * - a join of an identity that has an account already records nothing;
 * - removed identities are gone for every instance; those of other accounts stay;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface Identities {
  accountOf(identity: Identity): Promise<AccountId | null>;
  join(identity: JoinedIdentity, account: AccountId, record: RecordChange): Promise<AccountId>;
  /** In the order in which they joined. */
  of(account: AccountId): Promise<readonly JoinedIdentity[]>;
  /** Also recorded if the account has none. Refuses `not_found`. */
  removeAll(account: AccountId, record: RecordChange): Promise<Account | Refusal>;
}
