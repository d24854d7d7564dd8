import type { Account, AccountId, Change } from '../../../domain/accounts/account.js';
import type { PaymentEvent } from '../../../domain/billing/payment-event.js';
import type { Moment } from '../../../domain/moment.js';
import type { Refusal } from '../../../domain/refusal.js';

/**
 * Decides on a deletion. `unapplied`: the waiting and failed payment events of the customer of the account that have a
 * fact, unordered.
 */
export type DecideDeletion = (account: Account, unapplied: readonly PaymentEvent[]) => Change | Refusal;

/**
 * Deletes accounts together with the personal data in all stores.
 *
 * What every adapter guarantees, in the transaction of the change:
 * - the reasons of all audit entries are removed (`withoutReason`);
 * - all notices, identities, sessions, destinations and logged requests of the account are deleted, and all links that were emailed to
 *   its address;
 * - the payment events of the account, of its customer, and those that only name the account, keep no payload and no
 *   fault; waiting and failed ones become `ignored`;
 * - the change causes no notice;
 * - a refusal, or a `decide` that throws, leaves no trace;
 * - a payment event that is received concurrently is stored either before, and then loses its payload, or after, and then
 *   has none (`event-outcome.ts`);
 * - a store that cannot answer in time throws `Unavailable`; then it wrote all of it, or nothing.
 */
export interface AccountDeletions {
  /** Refuses `not_found`, and whatever `decide` refuses. */
  delete(id: AccountId, now: Moment, decide: DecideDeletion): Promise<Account | Refusal>;
}
