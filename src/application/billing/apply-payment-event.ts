import {
  type Account,
  type AuditContext,
  andThenChange,
  type Change,
} from '../../domain/accounts/account.js';
import { applyDueAndDecide } from '../../domain/accounts/account-due.js';
import { linkCustomer } from '../../domain/billing/account-customer.js';
import { type BillingRules, withPaymentEvents } from '../../domain/billing/account-payments.js';
import type { Moment } from '../../domain/moment.js';
import { isRefusal, type Refusal } from '../../domain/refusal.js';
import type { ApplyEvent, ReceivedEvent } from '../ports/billing/payment-inbox.js';

/** Applies a payment event to an account at `now` (D29). */
export const applyPaymentEvent = (rules: BillingRules, now: Moment): ApplyEvent =>
  function applyPaymentEvent(account, event) {
    const context: AuditContext = { actor: 'processor', reason: event.id, at: now };
    return applyDueAndDecide(account, now, (current) => applied(current, event, rules, context));
  };

function applied(
  account: Account,
  event: ReceivedEvent,
  rules: BillingRules,
  context: AuditContext,
): Change | Refusal {
  const { id, at, customer, fact } = event;
  const linked: Change | Refusal =
    customer === null ? { next: account, entries: [] } : linkCustomer(account, customer, context);
  if (isRefusal(linked) || fact === null) return linked;
  return andThenChange(linked, (current) => withPaymentEvents(current, [{ id, at, fact }], rules, context));
}
