import { type Moment, plus } from '../moment.js';
import { CONFIRMATION_TIMEOUT } from './dunning.js';
import {
  hasEnded,
  type PaymentFacts,
  type ProcessorStatus,
  type SubscriptionFacts,
  wasServed,
} from './payment-event.js';
import { isServedState, type SubscriptionState } from './subscription.js';

/** Whether a subscription whose payment is overdue is served while dunning runs, or refused at once (`PAST_DUE`). */
export type PastDue = 'serve' | 'refuse';

/** The subscription state for each status of the processor (D27). */
// biome-ignore format: a table is read by its columns
const STATES: Readonly<Record<ProcessorStatus, SubscriptionState>> = {
  trialing:           'trialing',
  active:             'active',
  past_due:           'active',
  incomplete:         'incomplete',
  paused:             'paused',
  unpaid:             'unpaid',
  incomplete_expired: 'canceled',
  canceled:           'canceled',
};

/**
 * The state of a subscription (D27). If a trial is over and the processor has not reported a new status, requests are
 * served for `CONFIRMATION_TIMEOUT`. After that, the first payment counts as failed.
 */
export function stateOf(
  { status, terms }: SubscriptionFacts,
  pastDue: PastDue,
  now: Moment,
): SubscriptionState {
  if (status.value === 'past_due' && pastDue === 'refuse') return 'unpaid';
  const { trialEndsAt } = terms.value;
  const isTrialOverdue =
    status.value === 'trialing' && trialEndsAt !== null && plus(trialEndsAt, CONFIRMATION_TIMEOUT) <= now;
  return isTrialOverdue ? 'incomplete' : STATES[status.value];
}

/** Statuses in which requests are served: the processor has a payment, or still tries to get one (D28). */
const isServedStatus = (status: ProcessorStatus): boolean => isServedState(STATES[status]);

export type RulingSubscription = SubscriptionFacts & { readonly id: string };

/**
 * The ruling subscription of a customer (D27). Among those that have not ended, the newest that is served rules; if none
 * is served, the newest. If all have ended, the newest that was served rules. Null if none was ever served: a checkout
 * that was never paid takes nothing away.
 */
export function rulingSubscription({ subscriptions }: PaymentFacts): RulingSubscription | null {
  const all = Object.entries(subscriptions).map(([id, facts]) => ({ ...facts, id }));
  const newestFirst = all.sort((a, b) => (isNewer(a, b) ? -1 : 1));
  if (!newestFirst.some(wasServed)) return null;
  const running = newestFirst.filter(({ status }) => !hasEnded(status.value));
  return (
    running.find(({ status }) => isServedStatus(status.value)) ??
    running[0] ??
    newestFirst.find(wasServed) ??
    null
  );
}

const isNewer = (a: RulingSubscription, b: RulingSubscription): boolean =>
  a.startedAt === b.startedAt ? a.id > b.id : a.startedAt > b.startedAt;

/**
 * Whether the newest event of a subscription named none of our plans. The subscription then keeps the plan that an event
 * named before; without one, the account keeps the plan with which it was opened (D27).
 */
export const namesNoPlan = ({ plan, terms }: SubscriptionFacts): boolean =>
  plan === null || plan.at < terms.at;
