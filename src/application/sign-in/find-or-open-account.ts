import type { Account } from '../../domain/accounts/account.js';
import type { EmailAddress } from '../../domain/accounts/email-address.js';
import { isRefusal, type Refusal } from '../../domain/refusal.js';
import type { OpenAccount } from '../accounts/open-account.js';
import type { Quotas } from '../limits/quotas.js';
import type { Accounts } from '../ports/accounts/accounts.js';

/** The actor of changes in the dashboard, as the audit log names it (D25). */
export const CUSTOMER = 'customer';

/**
 * The account of a verified email address. If there is none, it opens one on the Free plan. Refuses `rate_limited` only
 * if a new account is needed and the subnet of the client may open no more.
 */
export const findOrOpenAccount = (parts: {
  readonly accounts: Accounts;
  readonly openAccount: OpenAccount;
  /** New accounts, by client subnet. */
  readonly newAccounts: Quotas;
}) =>
  async function findOrOpenAccount(
    email: EmailAddress,
    clientSubnet: string,
  ): Promise<Account | Refusal<'rate_limited'>> {
    const { accounts, openAccount, newAccounts } = parts;
    const known = await accounts.findByEmail(email);
    if (known !== null) return known;
    const permit = await newAccounts.take(clientSubnet);
    if ('refused' in permit) return permit;
    const opening = openAccount({ email, plan: 'free', processorCustomerId: null }, CUSTOMER);
    // While the store is unavailable, retries must not use up permits.
    const opened = await opening.catch(async (fault: unknown) => {
      await permit.giveBack();
      throw fault;
    });
    if (!isRefusal(opened)) return opened;
    await permit.giveBack();
    // The account was opened in the meantime: the same person clicked twice.
    const other = await accounts.findByEmail(email);
    if (other === null) throw new Error(`the account could not be opened: ${opened.refused}`);
    return other;
  };

export type FindOrOpenAccount = ReturnType<typeof findOrOpenAccount>;
