import type { Account } from '../domain/account.js';
import type { EmailAddress } from '../domain/email-address.js';
import { isRefusal } from '../domain/refusal.js';
import type { OpenAccount } from './open-account.js';
import type { Accounts } from './ports/accounts.js';

/** Who acts in the dashboard, as the audit log says it (D25). */
export const CUSTOMER = 'customer';

/** The account of an address that has been proven; the first time one is opened, on the Free plan. */
export const findOrOpenAccount =
  ({ accounts, openAccount }: { readonly accounts: Accounts; readonly openAccount: OpenAccount }) =>
  async (email: EmailAddress): Promise<Account> => {
    const known = await accounts.findByEmail(email);
    if (known !== null) return known;
    const opened = await openAccount({ email, plan: 'free', processorCustomerId: null }, CUSTOMER);
    if (!isRefusal(opened)) return opened;
    // Somebody opened it in between: the same person, who clicked twice.
    const other = await accounts.findByEmail(email);
    if (other === null) throw new Error(`the account could not be opened: ${opened.refused}`);
    return other;
  };

export type FindOrOpenAccount = ReturnType<typeof findOrOpenAccount>;
