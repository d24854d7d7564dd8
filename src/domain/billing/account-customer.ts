import type { Account, AuditContext, AuditEntry, Change } from '../accounts/account.js';
import { isReadable } from '../readable-text.js';
import { type Refusal, refuse } from '../refusal.js';

/** Links an account permanently to a customer of the processor (D42). Refuses `account_linked`. */
export function linkCustomer(account: Account, customer: string, context: AuditContext): Change | Refusal {
  if (account.processorCustomerId === customer) return { next: account, entries: [] };
  if (account.processorCustomerId !== null) return refuse('account_linked');
  const entry: AuditEntry = { ...context, event: 'linked', key: null };
  return { next: { ...account, processorCustomerId: customer }, entries: [entry] };
}

const CUSTOMER_LENGTH_MAX = 256;

/** The id of a customer as an operator types it, trimmed. */
export function readCustomerId(text: string): string | Refusal<'invalid_body'> {
  const trimmed = text.trim();
  if (trimmed !== '' && trimmed.length <= CUSTOMER_LENGTH_MAX && isReadable(trimmed)) return trimmed;
  const message = `must have 1 to ${CUSTOMER_LENGTH_MAX} readable characters`;
  return { refused: 'invalid_body', faults: [{ parameter: '/customer', code: 'invalid_pattern', message }] };
}
