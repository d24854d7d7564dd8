import type { Account, Change } from '../../../src/domain/accounts/account.js';
import { applyDue, applyDueAndDecide } from '../../../src/domain/accounts/account-due.js';
import { type BillingRules, withPaymentEvents } from '../../../src/domain/billing/account-payments.js';
import { DUNNING } from '../../../src/domain/billing/dunning.js';
import type { PaymentEvent } from '../../../src/domain/billing/payment-event.js';
import type { PlanName } from '../../../src/domain/billing/plan.js';
import { causesOf } from '../../../src/domain/keys/api-key.js';
import type { Moment } from '../../../src/domain/moment.js';
import { accepted, account, auditContext, issued, NOON } from './builders.js';

export const ALONE: BillingRules = { schedule: DUNNING, pastDue: 'serve', deadlineRule: 'no processor' };
export const ASKING: BillingRules = { ...ALONE, deadlineRule: 'unreachable' };

export const processor = (at: Moment) => auditContext(at, 'processor');

export const accountWithKey = (plan: PlanName = 'builder') => issued(account({ plan }), NOON, 'k1');

/** The account after all events in order of time, and after the due work until `now`. */
export const afterEvents = (
  start: Account,
  list: readonly PaymentEvent[],
  now: Moment,
  rules = ALONE,
): Account => {
  const changed = [...list]
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .reduce((current, one) => {
      const decide = (found: Account) => withPaymentEvents(found, [one], rules, processor(one.at));
      return accepted(applyDueAndDecide(current, one.at, decide)).next;
    }, start);
  return applyDue(changed, now).next;
};

export const causesOfAccount = ({ subscription }: Account) => causesOf(subscription.suspension);
export const eventsOf = ({ entries }: Change) => entries.map(({ event }) => event);
