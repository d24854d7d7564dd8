import type { Account } from '../../domain/accounts/account.js';
import type { OneTimeTokens } from '../ports/sign-in/one-time-tokens.js';
import type { Sessions } from '../ports/sign-in/sessions.js';

/**
 * Ends every session of an account and every mailed link to its address. The links go first: `SignInByLink` starts a
 * session before it takes the link, so a session that this does not find never reaches a browser.
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
