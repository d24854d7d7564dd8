import type { Plans } from '../../domain/billing/plan.js';
import { editKey as editing, type KeyEdit } from '../../domain/keys/account-keys.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import { knownPlan } from '../billing/known-plan.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';
import { changeByKey } from './change-by-key.js';

/** Sets the label and the controls of a key (D72). They are in force on every instance as a revocation is (D39). */
export const editKey = (parts: {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly plans: Plans;
}) =>
  function editKey(id: KeyId, edit: KeyEdit, actor: string) {
    const { accounts, clock, plans } = parts;
    const context = { actor, reason: null, at: clock() };
    return changeByKey(accounts, id, context.at, (account) =>
      editing(account, id, edit, knownPlan(plans, account.subscription.plan), context),
    );
  };

export type EditKey = ReturnType<typeof editKey>;
