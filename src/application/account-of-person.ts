import type { AccountId } from '../domain/account.js';
import { readEmailAddress } from '../domain/email-address.js';
import { joinIdentity } from '../domain/identity-acts.js';
import { CUSTOMER, type FindOrOpenAccount } from './find-or-open-account.js';
import type { Clock } from './ports/clock.js';
import type { Identities } from './ports/identities.js';
import type { ProvenIdentity } from './ports/identity-provider.js';

/**
 * The account that a person at a provider signs in to. The first time it is the one of the e-mail that the provider has
 * verified, and its owner is told; null where there is no such e-mail.
 */
export const accountOfPerson =
  (parts: {
    readonly identities: Identities;
    readonly clock: Clock;
    readonly findOrOpenAccount: FindOrOpenAccount;
  }) =>
  async (proven: ProvenIdentity): Promise<AccountId | null> => {
    const known = await parts.identities.accountOf(proven);
    if (known !== null) return known;
    const email = proven.email === null ? undefined : readEmailAddress(proven.email);
    if (email === undefined) return null;
    const now = parts.clock();
    const { id, openedAt } = await parts.findOrOpenAccount(email);
    // An account that this very sign-in opens has no owner yet who could be warned: `noticesOf` goes by that moment.
    const at = openedAt > now ? openedAt : now;
    const { issuer, subject } = proven;
    return parts.identities.join({ issuer, subject, joinedAt: at }, id, (account) =>
      joinIdentity(account, issuer, { actor: CUSTOMER, at }),
    );
  };
