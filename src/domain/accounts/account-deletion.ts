import { cancelSubscription } from '../billing/account-subscription.js';
import { type Refusal, refuse } from '../refusal.js';
import type { Account, AccountId, AuditContext, AuditEntry, Change } from './account.js';

/** The email address of a deleted account. It has no `@`, so that nobody can sign in with it. */
const addressAfterDeletion = (id: AccountId): string => `deleted-${id}`;

export const isDeleted = ({ id, email }: Pick<Account, 'id' | 'email'>): boolean =>
  email === addressAfterDeletion(id);

/**
 * Why an account cannot be deleted now; null if it can. Only an account without a running subscription can be deleted,
 * because nobody would notice further payments: its subscription was cancelled, or the processor never reported one.
 */
export const whyNotDelete = ({ subscription, payments }: Account): Refusal<'subscription_running'> | null => {
  const hasPaymentFacts = [payments.subscriptions, payments.invoices].some(
    (facts) => Object.keys(facts).length > 0,
  );
  return subscription.state === 'canceled' || !hasPaymentFacts ? null : refuse('subscription_running');
};

/**
 * Deletes the personal data of an account: email address and key labels. Its keys are revoked at once. Ids, states and
 * payment facts stay, for accounting and to recognise later payment events of its customer. Deleting a deleted account
 * changes nothing.
 */
export function deleteAccount(account: Account, context: Omit<AuditContext, 'reason'>): Change | Refusal {
  if (isDeleted(account)) return { next: account, entries: [] };
  const refusal = whyNotDelete(account);
  if (refusal !== null) return refusal;
  const reasonless: AuditContext = { ...context, reason: null };
  const { next } = cancelSubscription(account, reasonless);
  return {
    next: {
      ...next,
      email: addressAfterDeletion(account.id),
      keys: next.keys.map((key) => ({ ...key, label: null })),
      dunning: [],
      pending: [],
    },
    entries: [{ ...reasonless, event: 'deleted', key: null }],
  };
}

/** An audit entry as it is kept after the deletion of its account: reasons can contain personal data. */
export const withoutReason = (entry: AuditEntry): AuditEntry => ({ ...entry, reason: null });
