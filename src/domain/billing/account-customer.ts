import type { Account, AuditContext, AuditEntry, Change } from '../accounts/account.js';
import { type Refusal, refuse } from '../refusal.js';

/** Says which customer of the processor an account is; it stays that one (D42). */
export function linkCustomer(account: Account, customer: string, context: AuditContext): Change | Refusal {
  if (account.processorCustomerId === customer) return { next: account, entries: [] };
  if (account.processorCustomerId !== null) return refuse('account_linked');
  const entry: AuditEntry = { ...context, event: 'linked', key: null };
  return { next: { ...account, processorCustomerId: customer }, entries: [entry] };
}
