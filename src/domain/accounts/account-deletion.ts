import { cancelSubscription } from '../billing/account-subscription.js';
import { hasEnded, mergeEvent, type PaymentEvent, type PaymentFacts } from '../billing/payment-event.js';
import { withoutPersonalData } from '../keys/listed-keys.js';
import { ownValue } from '../own-value.js';
import { type Refusal, refuse } from '../refusal.js';
import type { Account, AccountId, AuditContext, AuditEntry, Change } from './account.js';

/** The email address of a deleted account. It has no `@`, so that nobody can sign in with it. */
const addressAfterDeletion = (id: AccountId): string => `deleted-${id}`;

export const isDeleted = ({ id, email }: Pick<Account, 'id' | 'email'>): boolean =>
  email === addressAfterDeletion(id);

/**
 * Why an account cannot be deleted now; null if it can. Only an account without a running subscription can be deleted
 * (D103), because nobody would notice further payments: all its subscriptions ended, or the processor never reported
 * one.
 * `unapplied`: the events of its customer that were stored but not applied. They can report a subscription too.
 */
export function whyNotDelete(
  account: Account,
  unapplied: readonly PaymentEvent[],
): Refusal<'subscription_running'> | null {
  const { subscription, payments } = account;
  const isOver = subscription.state === 'canceled' || !mayOwePayments(payments);
  return isOver && !reportsRunning(account, unapplied) ? null : refuse('subscription_running');
}

/** Whether a subscription has not ended, or an invoice belongs to an unknown one. */
const mayOwePayments = ({ subscriptions, invoices }: PaymentFacts): boolean =>
  Object.values(subscriptions).some(({ status }) => !hasEnded(status.value)) ||
  Object.values(invoices).some(({ subscription }) => ownValue(subscriptions, subscription) === undefined);

/**
 * Whether an event concerns a subscription whose end is neither known nor reported by another of the events. An event that
 * can never be applied therefore prevents the deletion only until the subscription ends.
 */
function reportsRunning({ payments }: Account, unapplied: readonly PaymentEvent[]): boolean {
  const { subscriptions } = unapplied.reduce(mergeEvent, payments);
  return unapplied.some(({ fact }) => {
    const known = ownValue(subscriptions, fact.subscription);
    return known === undefined || !hasEnded(known.status.value);
  });
}

/**
 * Deletes the personal data of an account: email address, and the labels and controls of its keys. Its keys are revoked at once. Ids, states and
 * payment facts stay, for accounting and to recognise later payment events of its customer. Deleting a deleted account
 * changes nothing.
 */
export function deleteAccount(
  account: Account,
  unapplied: readonly PaymentEvent[],
  context: Omit<AuditContext, 'reason'>,
): Change | Refusal {
  if (isDeleted(account)) return { next: account, entries: [] };
  const refusal = whyNotDelete(account, unapplied);
  if (refusal !== null) return refusal;
  const reasonless: AuditContext = { ...context, reason: null };
  const { next } = cancelSubscription(account, reasonless);
  return {
    next: {
      ...next,
      email: addressAfterDeletion(account.id),
      keys: next.keys.map(withoutPersonalData),
      dunning: [],
      pending: [],
      askTiesAt: null,
    },
    entries: [{ ...reasonless, event: 'deleted', key: null }],
  };
}

/** An audit entry as it is kept after the deletion of its account: reasons can contain personal data. */
export const withoutReason = (entry: AuditEntry): AuditEntry => ({ ...entry, reason: null });
