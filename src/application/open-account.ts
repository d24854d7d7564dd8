import { type Account, openAccount as opening } from '../domain/account.js';
import type { PlanName } from '../domain/plan.js';
import { isRefusal, type Refusal } from '../domain/refusal.js';
import type { PaymentEvents } from './payment-events.js';
import type { Accounts } from './ports/accounts.js';
import type { Clock } from './ports/clock.js';
import type { Ids } from './ports/ids.js';

/** An account with its subscription, active on its plan, or as its customer's events have it that came before (D27, D29). */
export const openAccount =
  (parts: {
    readonly accounts: Accounts;
    readonly events: PaymentEvents;
    readonly ids: Ids;
    readonly clock: Clock;
  }) =>
  async (
    wanted: {
      readonly email: string;
      readonly plan: PlanName;
      readonly processorCustomerId: string | null;
    },
    actor: string,
  ): Promise<Account | Refusal> => {
    const { accounts, events, ids, clock } = parts;
    const identity = { ...wanted, id: ids.account(), subscriptionId: ids.subscription() };
    const opened = await accounts.open(opening(identity, { actor, reason: null, at: clock() }));
    if (isRefusal(opened) || opened.processorCustomerId === null) return opened;
    await events.applyWaiting(opened.processorCustomerId);
    return (await accounts.find(opened.id)) ?? opened;
  };

export type OpenAccount = ReturnType<typeof openAccount>;
