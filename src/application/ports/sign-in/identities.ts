import type { Account, AccountId, Change } from '../../../domain/accounts/account.js';
import type { Moment } from '../../../domain/moment.js';
import type { Refusal } from '../../../domain/refusal.js';

/** A person at a provider. */
export type Identity = { readonly issuer: string; readonly subject: string };

export type JoinedIdentity = Identity & { readonly joinedAt: Moment };

/** The record of an act on an account's identities; pure, and it touches no key: nobody's copies go stale by it. */
export type RecordChange = (account: Account) => Change;

/**
 * Which account a person at a provider signs in to.
 *
 * What each adapter keeps:
 * - an identity belongs to one account until it is removed: of several that are joined at once the first counts, and
 *   all are answered that one;
 * - an identity is joined together with its record (entries and notices, as `Accounts` keeps them) or not at all, and
 *   so are those of an account removed: whatever happens meanwhile, nobody has a way in that nobody was told of;
 * - who finds an identity joined, or joins it too late, records nothing;
 * - what was removed is gone for every instance, and of no other account;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface Identities {
  accountOf(identity: Identity): Promise<AccountId | null>;
  join(identity: JoinedIdentity, account: AccountId, record: RecordChange): Promise<AccountId>;
  /** The first that was joined first. */
  of(account: AccountId): Promise<readonly JoinedIdentity[]>;
  /** Recorded also where there is none. Refuses `not_found`. */
  removeAll(account: AccountId, record: RecordChange): Promise<Account | Refusal>;
}
