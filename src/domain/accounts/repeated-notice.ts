import { causesOf } from '../keys/api-key.js';
import { type Refusal, refuse } from '../refusal.js';
import type { Account, AuditContext, AuditEntry, Change } from './account.js';

/** Whether there is a notice about payments that an operator can send again: an invoice is open. */
export const hasPaymentNotice = ({ dunning }: Pick<Account, 'dunning'>): boolean => dunning.length > 0;

/**
 * Sends the notices about open invoices again. The audit entry causes them (`noticesOf`), so that each is stored together with its
 * order, and sent once (D102).
 */
export function repeatPaymentNotice(account: Account, context: AuditContext): Change | Refusal {
  if (!hasPaymentNotice(account)) return refuse('changed_meanwhile');
  return { next: account, entries: [{ ...context, event: 'payment_notice_repeated', key: null }] };
}

/** What the owner is told again, by its occasion: why requests are refused, or else each open invoice. */
export function repeatedNotices({ dunning, subscription }: Account, entries: readonly AuditEntry[]) {
  // To ten minutes: a form that is sent twice sends one mail.
  const at = entries.find(({ event }) => event === 'payment_notice_repeated')?.at.slice(0, 15);
  if (at === undefined) return [];
  const causes = causesOf(subscription.suspension);
  if (causes.includes('payment_failure')) {
    const news = { kind: 'suspended', causes, state: subscription.state } as const;
    return [{ occasion: `suspended/again/${at}`, news }];
  }
  return dunning.map(({ id, nextRetryAt, deadline }) => ({
    occasion: `payment_failed/${id}/again/${at}`,
    news: { kind: 'payment_failed' as const, invoice: id, nextRetryAt, deadline },
  }));
}
