import { type Account, openAccount as opening } from '../../domain/accounts/account.js';
import { readEmailAddress } from '../../domain/accounts/email-address.js';
import type { Reason } from '../../domain/accounts/reason.js';
import type { PlanName } from '../../domain/billing/plan.js';
import { type Fault, isRefusal, type Refusal } from '../../domain/refusal.js';
import type { PaymentEvents } from '../billing/payment-events.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';

/**
 * Opens an account with an active subscription, then applies the payment events that wait for its customer (D27, D29).
 */
export const openAccount = (parts: {
  readonly accounts: Accounts;
  readonly paymentEvents: PaymentEvents;
  readonly ids: Ids;
  readonly clock: Clock;
}) =>
  async function openAccount(
    input: {
      readonly email: string;
      readonly plan: PlanName;
      readonly processorCustomerId: string | null;
    },
    actor: string,
    reason: Reason | null = null,
  ): Promise<Account | Refusal> {
    const { accounts, paymentEvents, ids, clock } = parts;
    const email = readEmailAddress(input.email);
    if (email === undefined) return { refused: 'invalid_body', faults: [INVALID_EMAIL] };
    const identity = { ...input, email, id: ids.account(), subscriptionId: ids.subscription() };
    const opened = await accounts.open(opening(identity, { actor, reason, at: clock() }));
    if (isRefusal(opened) || opened.processorCustomerId === null) return opened;
    await paymentEvents.applyWaiting(opened.processorCustomerId);
    return (await accounts.find(opened.id)) ?? opened;
  };

const INVALID_EMAIL: Fault = {
  parameter: '/email',
  code: 'invalid_email',
  message: 'must be an email address',
};

export type OpenAccount = ReturnType<typeof openAccount>;
