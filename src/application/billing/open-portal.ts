import { type Account, isEmailOf } from '../../domain/accounts/account.js';
import type { BillingPortal } from '../ports/billing/processor.js';

export type PortalAnswer =
  | { readonly outcome: 'opened'; readonly url: string }
  | { readonly outcome: 'no customer' }
  /** The customer at the processor has another e-mail address than the account, or none. */
  | { readonly outcome: 'another email' };

/**
 * Opens the processor's own pages. They show the invoices and payment methods of the customer, so they open only if the
 * customer's e-mail address is the account's own: somebody may have been lured into a checkout that named another account.
 */
export const openPortal = ({ portal }: { readonly portal: BillingPortal }) =>
  async function openPortal(account: Account, returnUrl: string): Promise<PortalAnswer> {
    const customer = account.processorCustomerId;
    if (customer === null) return { outcome: 'no customer' };
    if (!isEmailOf(account, await portal.emailOf(customer))) return { outcome: 'another email' };
    const url = await portal.open(customer, returnUrl);
    return url === null ? { outcome: 'no customer' } : { outcome: 'opened', url };
  };

export type OpenPortal = ReturnType<typeof openPortal>;
