import type { Account } from '../../../domain/accounts/account.js';
import type { DayCounts } from '../../../domain/accounts/account-days.js';
import type { PlanName } from '../../../domain/billing/plan.js';
import type { Moment } from '../../../domain/moment.js';

/** An account with its requests since a time, those that were refused included. `refused`: those that were answered with 4xx. */
export type Consumer = { readonly account: Account; readonly requests: number; readonly refused: number };

/** The accounts of a plan with more than `above` requests on one day (UTC) that begins at or after `from`. */
export type BusyDays = { readonly plan: PlanName; readonly from: Moment; readonly above: number };

/** An account that is suspended for abuse. `since`: of the last detection; null if the audit log has none. */
export type Suspect = { readonly account: Account; readonly since: Moment | null };

/** An account that is refused because dunning ended. `since`: of the last suspension for it; null if the audit log has none. */
export type Unpaid = { readonly account: Account; readonly since: Moment | null };

/** The most accounts from which `dunningEnded` takes the newest. */
export const UNPAID_READ_MAX = 1_000;

/** The newest audit entries of all accounts, in which a store looks for cancellations. */
export const ENTRIES_READ_MAX = 100_000;

/**
 * Accounts as the operator console searches and lists them.
 *
 * What every adapter guarantees:
 * - every list has at most `count` accounts, each once, and is read by an index. Only `largest` and `busiest` add up rows: those of the
 *   hours since `from`; and `byDay`: the accounts opened since `from`, and at most `ENTRIES_READ_MAX` audit entries;
 * - deleted accounts are in no list, except for the account of a subscription id or of an id of the processor. `byDay` counts them;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface AccountLists {
  /** The email address, or the domain of the email address, begins with `text`, in any letter case. Of more, some
   * of them; in the order of the addresses. */
  withEmailPart(text: string, count: number): Promise<readonly Account[]>;
  /** The subscription has this id, or the processor gave it to the customer, or to a subscription or invoice of stored events. */
  withOtherId(id: string, count: number): Promise<readonly Account[]>;
  /** The last opened first. */
  newest(count: number): Promise<readonly Account[]>;
  /** The number of accounts whose keys get 402 by the state of the subscription, at most `count`. */
  refused(count: number): Promise<number>;
  /** In the order of the ids of the accounts. */
  suspectedOfAbuse(count: number): Promise<readonly Suspect[]>;
  /** Those that `hasDunningEnded`, the newest first, an unknown time last. Of more than `UNPAID_READ_MAX`, those of some of them. */
  dunningEnded(count: number): Promise<readonly Unpaid[]>;
  /** Those whose suspension for an unpaid invoice is due until then (`Pending`); by their next due work, the earliest first. */
  dunningDueBy(until: Moment, count: number): Promise<readonly Account[]>;
  /** With the most requests in hours that begin at or after `from`. */
  largest(from: Moment, count: number): Promise<readonly Consumer[]>;
  /**
   * Accounts by the day of their opening, and ends of subscriptions by the day on which the audit log has them, since `from`, the start
   * of a day. If the log has more than `ENTRIES_READ_MAX` entries, older ones are left out (`uncountedUntil`).
   */
  byDay(from: Moment): Promise<DayCounts>;
  /** The number of accounts on a plan, at most `count`. */
  onPlan(plan: PlanName, count: number): Promise<number>;
  /** Those on a plan that list more than `keys` keys, in the order of their ids. Revoked keys can be among them. */
  listingMoreKeys(plan: PlanName, keys: number, count: number): Promise<readonly Account[]>;
  /** With the requests of their busiest day, the most first. */
  busiest(days: BusyDays, count: number): Promise<readonly Consumer[]>;
}
