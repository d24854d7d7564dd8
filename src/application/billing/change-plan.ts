import type { AccountId } from '../../domain/accounts/account.js';
import { applyDueAndDecide } from '../../domain/accounts/account-due.js';
import type { Reason } from '../../domain/accounts/reason.js';
import { changePlan as changing } from '../../domain/billing/account-plan.js';
import type { PlanName } from '../../domain/billing/plan.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';

/** Changes the plan of an account that the payment processor gave none (D126). */
export const changePlan = ({ accounts, clock }: { readonly accounts: Accounts; readonly clock: Clock }) =>
  function changePlan(
    id: AccountId,
    plans: { readonly seen: PlanName; readonly plan: PlanName },
    reason: Reason,
    actor: string,
  ) {
    const context = { actor, reason, at: clock() };
    return accounts.change(id, (found) =>
      applyDueAndDecide(found, context.at, (account) => changing(account, plans, context)),
    );
  };

export type ChangePlan = ReturnType<typeof changePlan>;
