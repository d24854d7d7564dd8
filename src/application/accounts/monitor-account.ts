import type { AccountId } from '../../domain/accounts/account.js';
import { applyDueAndDecide } from '../../domain/accounts/account-due.js';
import type { Reason } from '../../domain/accounts/reason.js';
import { setMonitoring } from '../../domain/limits/abuse.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';

/** Turns abuse detection off for an account that uses many addresses, or on again (contract section 3.1). */
export const monitorAccount = ({ accounts, clock }: { readonly accounts: Accounts; readonly clock: Clock }) =>
  function monitorAccount(id: AccountId, isOn: boolean, reason: Reason, actor: string) {
    const context = { actor, reason: `${isOn ? 'on' : 'off'}: ${reason}`, at: clock() };
    return accounts.change(id, (found) =>
      applyDueAndDecide(found, context.at, (account) => setMonitoring(account, isOn, context)),
    );
  };

export type MonitorAccount = ReturnType<typeof monitorAccount>;
