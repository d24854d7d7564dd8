import type { AccountId } from '../../domain/account.js';

/** A person at a provider. */
export type Identity = { readonly issuer: string; readonly subject: string };

/**
 * Which account a person at a provider signs in to.
 *
 * What each adapter keeps:
 * - an identity belongs to one account for good: of several that are joined at once the first counts, and all
 *   are answered that one;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface Identities {
  accountOf(identity: Identity): Promise<AccountId | null>;
  join(identity: Identity, account: AccountId): Promise<AccountId>;
}
