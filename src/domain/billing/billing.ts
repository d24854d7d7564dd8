import { type Moment, plus } from '../moment.js';
import { DOUBT } from './dunning.js';
import {
  hasEnded,
  type PaymentFacts,
  type ProcessorStatus,
  type SubscriptionFacts,
} from './payment-event.js';
import type { SubscriptionState } from './subscription.js';

/** Whether a subscription whose payment is overdue is served while dunning runs, or refused at once (`PAST_DUE`). */
export type PastDue = 'serve' | 'refuse';

/** What each of the processor's words means here (D27). */
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
 * The state of a subscription by what is known of it (D27). A trial that is over without a word of what follows is
 * given the benefit of the doubt; after that its first payment is taken not to have gone through.
 */
export function stateOf(
  { status, terms }: SubscriptionFacts,
  pastDue: PastDue,
  now: Moment,
): SubscriptionState {
  if (status.value === 'past_due' && pastDue === 'refuse') return 'unpaid';
  const { trialEndsAt } = terms.value;
  const isTrialLong = status.value === 'trialing' && trialEndsAt !== null && plus(trialEndsAt, DOUBT) <= now;
  return isTrialLong ? 'incomplete' : STATES[status.value];
}

export type RulingSubscription = SubscriptionFacts & { readonly id: string };

/**
 * Of all subscriptions that a customer ever had, the one that counts: the newest that has not ended.
 * Where all have ended the newest rules still, for how it ended; null where there never was one (D27).
 */
export function rulingSubscription({ subscriptions }: PaymentFacts): RulingSubscription | null {
  const all = Object.entries(subscriptions).map(([id, facts]) => ({ ...facts, id }));
  const newestFirst = all.sort((a, b) => (isNewer(a, b) ? -1 : 1));
  return newestFirst.find(({ status }) => !hasEnded(status.value)) ?? newestFirst[0] ?? null;
}

const isNewer = (a: RulingSubscription, b: RulingSubscription): boolean =>
  a.startedAt === b.startedAt ? a.id > b.id : a.startedAt > b.startedAt;
