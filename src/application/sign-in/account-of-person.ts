import type { AccountId } from '../../domain/accounts/account.js';
import type { Refusal } from '../../domain/refusal.js';
import { recordJoin } from '../../domain/sign-in/account-identities.js';
import type { Clock } from '../ports/clock.js';
import type { Identities } from '../ports/sign-in/identities.js';
import type { ProvenIdentity } from '../ports/sign-in/identity-provider.js';
import { CUSTOMER, type FindOrOpenAccount } from './find-or-open-account.js';

/**
 * The account that a person at an identity provider signs in to. At the first sign-in it is the account of the email
 * address that the provider has verified, and its owner gets a notice. Null if there is no verified address. Refuses
 * `rate_limited` if a new account is needed and the subnet of the client may open no more.
 */
export const accountOfIdentity = (parts: {
  readonly identities: Identities;
  readonly clock: Clock;
  readonly findOrOpenAccount: FindOrOpenAccount;
}) =>
  async function accountOfIdentity(
    proven: ProvenIdentity,
    clientSubnet: string,
  ): Promise<AccountId | Refusal<'rate_limited'> | null> {
    const known = await parts.identities.accountOf(proven);
    if (known !== null) return known;
    if (proven.email === null) return null;
    const now = parts.clock();
    const account = await parts.findOrOpenAccount(proven.email, clientSubnet);
    if ('refused' in account) return account;
    const { id, openedAt } = account;
    // If this sign-in opens the account, there is no owner to warn: `noticesOf` compares the two times.
    const at = openedAt > now ? openedAt : now;
    const { issuer, subject } = proven;
    return parts.identities.join({ issuer, subject, joinedAt: at }, id, (found) =>
      recordJoin(found, issuer, { actor: CUSTOMER, at }),
    );
  };
