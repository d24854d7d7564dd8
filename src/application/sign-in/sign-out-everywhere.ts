import type { Account } from '../../domain/accounts/account.js';
import type { OneTimeTokens } from '../ports/sign-in/one-time-tokens.js';
import type { Sessions } from '../ports/sign-in/sessions.js';

/**
 * Removes every emailed link to the address of an account, then ends every session of the account. The order matters:
 * `SignInByLink` starts a session before it takes the link. If the session starts after this use case, the link is
 * gone, and `SignInByLink` ends the session itself.
 */
export const signOutEverywhere = ({
  oneTimeTokens,
  sessions,
}: {
  readonly oneTimeTokens: OneTimeTokens;
  readonly sessions: Sessions;
}) =>
  async function signOutEverywhere({ id, email }: Pick<Account, 'id' | 'email'>): Promise<void> {
    await oneTimeTokens.removeLinks(email);
    await sessions.endAll({ kind: 'account', account: id });
  };

export type SignOutEverywhere = ReturnType<typeof signOutEverywhere>;
