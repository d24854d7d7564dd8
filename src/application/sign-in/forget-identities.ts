import type { Account, AccountId } from '../../domain/accounts/account.js';
import type { Reason } from '../../domain/accounts/reason.js';
import { isRefusal, type Refusal } from '../../domain/refusal.js';
import { recordRemoval } from '../../domain/sign-in/account-identities.js';
import type { Clock } from '../ports/clock.js';
import type { Identities } from '../ports/sign-in/identities.js';
import type { SignOutEverywhere } from './sign-out-everywhere.js';

/** Removes all identities of an account and ends its sessions. The next sign-in must prove the email address again. */
export const forgetIdentities = (parts: {
  readonly identities: Identities;
  readonly signOutEverywhere: SignOutEverywhere;
  readonly clock: Clock;
}) =>
  async function forgetIdentities(
    id: AccountId,
    reason: Reason | null,
    actor: string,
  ): Promise<Account | Refusal> {
    const context = { actor, reason, at: parts.clock() };
    // Identities first, then sessions: `SignInByProvider` checks the identity again after it has started a session.
    const account = await parts.identities.removeAll(id, (found) => recordRemoval(found, context));
    if (!isRefusal(account)) await parts.signOutEverywhere(account);
    return account;
  };

export type ForgetIdentities = ReturnType<typeof forgetIdentities>;
