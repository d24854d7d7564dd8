import { DAY, HOUR, type Moment, plus } from '../moment.js';
import type { DunningSchedule, FailedInvoice, OpenInvoice, PaymentDeadline } from './failed-invoice.js';
import { unexplainedDeadline } from './past-due.js';
import type { FailedAttempt, InvoiceFacts, PaymentFacts } from './payment-event.js';

export const DUNNING: DunningSchedule = { retries: 4, retryDays: [1, 4, 8, 14], days: 14 };

/** The open invoices of a subscription, the oldest first. Dunning ends when there are none. */
export type Dunning = readonly OpenInvoice[];

/** The open invoices. Each is separate: two open invoices need two payments. */
export const dunningOf = (facts: PaymentFacts, subscription: string, schedule: DunningSchedule): Dunning =>
  failedInvoicesOf(facts, subscription, schedule).filter(({ settledAt }) => settledAt === null);

/**
 * The deadline of a subscription that is `past_due` although no known invoice explains it; null if there is none (D28):
 * events may be missing, or none exist, as for invoices that are sent by mail.
 */
export const overdueOf = (
  facts: PaymentFacts,
  subscription: string,
  schedule: DunningSchedule,
): PaymentDeadline | null =>
  unexplainedDeadline(facts, subscription, failedInvoicesOf(facts, subscription, schedule), schedule);

const failedInvoicesOf = (
  facts: PaymentFacts,
  subscription: string,
  schedule: DunningSchedule,
): readonly FailedInvoice[] =>
  Object.entries(facts.invoices)
    .filter(([, invoice]) => invoice.subscription === subscription)
    .flatMap(([id, invoice]) => failedInvoice(id, invoice, schedule) ?? [])
    .sort((a, b) => (age(a) < age(b) ? -1 : 1));

const age = ({ firstFailedAt, id }: OpenInvoice): string => `${firstFailedAt} ${id}`;

function failedInvoice(id: string, invoice: InvoiceFacts, schedule: DunningSchedule): FailedInvoice | null {
  const { isFirstInvoice, failures, settlement } = invoice;
  if (isFirstInvoice) return null;
  // An invoice that was written off is still open.
  const settledAt = settlement === null || settlement.value === 'uncollectible' ? null : settlement.at;
  const attempts = Object.keys(failures).map(Number);
  const failedAt = Object.values(failures)
    .map(({ at }) => at)
    .sort();
  const [firstFailedAt] = failedAt;
  if (firstFailedAt === undefined) return null;
  const last = Math.max(...attempts);
  const failedRetries = last - 1;
  return {
    id,
    firstFailedAt,
    failedRetries,
    nextRetryAt: nextRetry(firstFailedAt, failedRetries, failures[last], schedule),
    retriesExhaustedAt: retriesExhaustedAtOf(failures, schedule),
    deadline: plus(firstFailedAt, schedule.days * DAY),
    confirmedOpenAt: invoice.confirmedOpenAt,
    settledAt,
  };
}

/** When the attempt with the last counted retry failed, or the first known attempt after it: events may be missing. */
function retriesExhaustedAtOf(
  failures: InvoiceFacts['failures'],
  { retries }: DunningSchedule,
): Moment | null {
  const beyond = Object.entries(failures).filter(([attempts]) => Number(attempts) > retries);
  return (
    beyond
      .map(([, { at }]) => at)
      .sort()
      .at(0) ?? null
  );
}

function nextRetry(
  firstFailedAt: Moment,
  failedRetries: number,
  last: FailedAttempt | undefined,
  { retries, retryDays }: DunningSchedule,
): Moment | null {
  if (failedRetries >= retries) return null;
  if (last?.nextAttemptAt) return last.nextAttemptAt;
  const days = retryDays[failedRetries];
  return days === undefined ? null : plus(firstFailedAt, days * DAY);
}

/**
 * What happens at the deadline of an invoice that the processor has not confirmed as open. `unreachable`: the service
 * asks the processor, and waits up to `CONFIRMATION_TIMEOUT` while the processor is unreachable. `no processor`:
 * dunning is exhausted, because webhooks are the only source.
 */
export type DeadlineRule = 'unreachable' | 'no processor';

/** How long requests are served after a deadline while the processor is unreachable. */
export const CONFIRMATION_TIMEOUT = 24 * HOUR;

/** When the dunning of an invoice is exhausted if no further event arrives (D28). */
export const exhaustsAt = (
  { deadline, confirmedOpenAt }: PaymentDeadline,
  deadlineRule: DeadlineRule,
): Moment =>
  deadlineRule === 'unreachable' && (confirmedOpenAt ?? '') < deadline
    ? plus(deadline, CONFIRMATION_TIMEOUT)
    : deadline;

/**
 * When the dunning of an invoice was exhausted; null if it is not. The time is the one at which it was due, also if the
 * work runs later. Failed retries exhaust dunning at once, also if the clock of the processor is ahead of ours: what was
 * received has happened. At the deadline the service asks the processor first (D28).
 */
export function exhaustedSince(invoice: OpenInvoice, now: Moment, deadlineRule: DeadlineRule): Moment | null {
  const end = exhaustsAt(invoice, deadlineRule);
  const passed = end <= now ? [end] : [];
  return [invoice.retriesExhaustedAt ?? [], passed].flat().sort()[0] ?? null;
}

/**
 * The time since which a subscription is suspended for payment failure; null if it is not (D28).
 *
 * Dunning continues while at least one invoice is open. If one invoice has exhausted dunning, its payment does not end
 * the suspension while another invoice is open. The result depends only on the payment facts, so that the order of
 * events does not matter.
 */
export function paymentFailureSince(
  facts: PaymentFacts,
  subscription: string,
  schedule: DunningSchedule,
  now: Moment,
  deadlineRule: DeadlineRule,
): Moment | null {
  const connected = connectedInvoices(failedInvoicesOf(facts, subscription, schedule));
  const exhaustedAt = connected.flatMap((invoice) => {
    const at = exhaustedSince(invoice, now, deadlineRule);
    const wasPaidInTime = at === null || (invoice.settledAt !== null && invoice.settledAt <= at);
    return wasPaidInTime ? [] : [at];
  });
  const overdue = overdueOf(facts, subscription, schedule);
  const overdueEnd = overdue === null ? null : exhaustsAt(overdue, deadlineRule);
  if (overdueEnd !== null && overdueEnd <= now) exhaustedAt.push(overdueEnd);
  return exhaustedAt.sort().at(0) ?? null;
}

/** All open invoices, then all settled invoices whose open time overlaps that of an invoice already in the list. */
function connectedInvoices(all: readonly FailedInvoice[]): readonly FailedInvoice[] {
  const open = all.filter(({ settledAt }) => settledAt === null);
  let [since] = open.map(({ firstFailedAt }) => firstFailedAt).sort();
  const connected = [...open];
  const latestFirst = all
    .filter(
      (invoice): invoice is FailedInvoice & { readonly settledAt: Moment } => invoice.settledAt !== null,
    )
    .sort((a, b) => (a.settledAt > b.settledAt ? -1 : 1));
  for (const invoice of latestFirst) {
    if (since === undefined || invoice.settledAt <= since) break;
    connected.push(invoice);
    if (invoice.firstFailedAt < since) since = invoice.firstFailedAt;
  }
  return connected;
}
