import { type Account, isEmailOf } from '../../domain/accounts/account.js';
import type { BillingPortal } from '../ports/billing/processor.js';

export type PortalAnswer =
  | { readonly outcome: 'opened'; readonly url: string }
  | { readonly outcome: 'no customer' }
  /** The customer has another email address at the processor than the account, or none. */
  | { readonly outcome: 'another email' };

/**
 * Opens the billing portal, only if customer and account have the same email address. The portal shows the invoices and
 * payment methods of the customer. Without this check, an attacker who lures a person into a checkout that names the
 * account of the attacker could see them (D101).
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
