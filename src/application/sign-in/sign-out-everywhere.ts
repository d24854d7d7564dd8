import type { Account } from '../../domain/accounts/account.js';
import type { OneTimeTokens } from '../ports/sign-in/one-time-tokens.js';
import type { Sessions } from '../ports/sign-in/sessions.js';

/**
 * Ends every session of an account, and every link that was mailed to its address before. The links go first: opening a
 * link starts its session before it takes the link (`signInByLink`), so a session that this does not find never reaches
 * a browser.
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
