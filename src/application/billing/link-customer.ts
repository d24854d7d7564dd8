import type { Account, AccountId } from '../../domain/accounts/account.js';
import { applyDueAndDecide } from '../../domain/accounts/account-due.js';
import type { Reason } from '../../domain/accounts/reason.js';
import { linkCustomer as linking } from '../../domain/billing/account-customer.js';
import { isRefusal, type Refusal } from '../../domain/refusal.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { PaymentEvents } from './payment-events.js';

/** Links an account to a customer of the processor, and applies the events that waited for the link (D29). */
export const linkCustomer = (parts: {
  readonly accounts: Accounts;
  readonly paymentEvents: PaymentEvents;
  readonly clock: Clock;
}) =>
  async function linkCustomer(
    id: AccountId,
    customer: string,
    comment: Reason | null,
    actor: string,
  ): Promise<Account | Refusal> {
    const reason = comment === null ? customer : `${customer}: ${comment}`;
    const context = { actor, reason, at: parts.clock() };
    const linked = await parts.accounts.change(id, (found) =>
      applyDueAndDecide(found, context.at, (account) => linking(account, customer, context)),
    );
    if (isRefusal(linked)) return linked;
    await parts.paymentEvents.applyWaiting(customer);
    return (await parts.accounts.find(id)) ?? linked;
  };

export type LinkCustomer = ReturnType<typeof linkCustomer>;
