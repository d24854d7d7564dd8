import type { AccountId } from '../../domain/accounts/account.js';
import { applyDueAndDecide } from '../../domain/accounts/account-due.js';
import type { Reason } from '../../domain/accounts/reason.js';
import { repeatPaymentNotice as repeating } from '../../domain/accounts/repeated-notice.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';

/** Sends the emails about the open invoices of an account again. */
export const repeatPaymentNotice = (parts: { readonly accounts: Accounts; readonly clock: Clock }) =>
  function repeatPaymentNotice(id: AccountId, reason: Reason, actor: string) {
    const context = { actor, reason, at: parts.clock() };
    return parts.accounts.change(id, (found) =>
      applyDueAndDecide(found, context.at, (account) => repeating(account, context)),
    );
  };

export type RepeatPaymentNotice = ReturnType<typeof repeatPaymentNotice>;
