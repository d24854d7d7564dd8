import { type Account, openAccount as opening } from '../domain/account.js';
import type { PlanName } from '../domain/plan.js';
import type { Refusal } from '../domain/refusal.js';
import type { Accounts } from './ports/accounts.js';
import type { Clock } from './ports/clock.js';
import type { Ids } from './ports/ids.js';

/** An account with its subscription, active on its plan (D27). */
export const openAccount =
  ({ accounts, ids, clock }: { readonly accounts: Accounts; readonly ids: Ids; readonly clock: Clock }) =>
  (
    wanted: {
      readonly email: string;
      readonly plan: PlanName;
      readonly processorCustomerId: string | null;
    },
    actor: string,
  ): Promise<Account | Refusal> => {
    const identity = { ...wanted, id: ids.account(), subscriptionId: ids.subscription() };
    return accounts.open(opening(identity, { actor, reason: null, at: clock() }));
  };

export type OpenAccount = ReturnType<typeof openAccount>;
