import type { Account, AuditContext, AuditEntry, Change } from '../accounts/account.js';
import { type Refusal, refuse } from '../refusal.js';

/** Links an account permanently to a customer of the processor (D42). Refuses `account_linked`. */
export function linkCustomer(account: Account, customer: string, context: AuditContext): Change | Refusal {
  if (account.processorCustomerId === customer) return { next: account, entries: [] };
  if (account.processorCustomerId !== null) return refuse('account_linked');
  const entry: AuditEntry = { ...context, event: 'linked', key: null };
  return { next: { ...account, processorCustomerId: customer }, entries: [entry] };
}
