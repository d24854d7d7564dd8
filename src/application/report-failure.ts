import type { AccountId } from '../domain/accounts/account.js';

/**
 * Reports a fault of the service that prevents the background work on one subject. The work on the others goes on, and this
 * one is tried again. It is not called for `Unavailable`: then no work can be done.
 */
export type ReportFailure = (
  fault: unknown,
  of: { readonly account: AccountId } | { readonly notice: string } | { readonly event: string },
) => void;
