import { DAY, type Moment, plus } from '../moment.js';
import { ownValue } from '../own-value.js';
import type { DunningSchedule, FailedInvoice, PaymentDeadline } from './failed-invoice.js';
import { type PaymentFacts, pastDueTimes } from './payment-event.js';

/**
 * The deadline of a subscription that is `past_due` for a reason that no known invoice explains; null if there is none
 * (D28). The first event that reports it starts the 14 days. A payment explains what was reported until then.
 */
export function unexplainedDeadline(
  facts: PaymentFacts,
  id: string,
  failedInvoices: readonly FailedInvoice[],
  { days }: DunningSchedule,
): PaymentDeadline | null {
  const subscription = ownValue(facts.subscriptions, id);
  if (subscription === undefined || subscription.status.value !== 'past_due') return null;
  const settledAt = lastSettlement(facts, id);
  const since = pastDueTimes(subscription).at.find((at) => settledAt === null || at > settledAt);
  if (since === undefined) return null;
  const deadline = plus(since, days * DAY);
  const isExplained = failedInvoices.some(
    (invoice) => invoice.settledAt === null && invoice.firstFailedAt < deadline,
  );
  return isExplained ? null : { deadline, confirmedOpenAt: subscription.status.at };
}

const lastSettlement = ({ invoices }: PaymentFacts, id: string): Moment | null =>
  Object.values(invoices)
    .flatMap(({ subscription, settlement }) =>
      subscription !== id || settlement === null || settlement.value === 'uncollectible' ? [] : settlement.at,
    )
    .sort()
    .at(-1) ?? null;
