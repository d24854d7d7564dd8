import { DAY, HOUR, type Moment, plus } from '../moment.js';
import type { FailedAttempt, InvoiceFacts, PaymentFacts } from './payment-event.js';

/** How long a customer is served after a payment failed, and when retries of the processor are expected (D28). */
export type DunningSchedule = {
  /** The number of failed retries that exhausts dunning. The first attempt is not a retry. */
  readonly retries: number;
  /** Expected retries, in days after the first failure. Used when the processor does not report the next attempt. */
  readonly retryDays: readonly number[];
  /** Dunning is exhausted this many days after the first failure, whatever the number of retries. */
  readonly days: number;
};

export const DUNNING: DunningSchedule = { retries: 4, retryDays: [1, 4, 8, 14], days: 14 };

/** An invoice whose payment failed and that is still open. */
export type OpenInvoice = {
  readonly id: string;
  readonly firstFailedAt: Moment;
  readonly failedRetries: number;
  /** Null when no more are expected. */
  readonly nextRetryAt: Moment | null;
  /** When the last retry that counts failed; null while there are retries left. */
  readonly retriesExhaustedAt: Moment | null;
  readonly deadline: Moment;
  /** When the processor last confirmed, on request, that it is open; null if it has not. */
  readonly confirmedOpenAt: Moment | null;
};

/** The open invoices of a subscription, the oldest first. Dunning ends when there are none. */
export type Dunning = readonly OpenInvoice[];

/** Every open invoice counts separately: two of them need two payments. */
export const dunningOf = (facts: PaymentFacts, subscription: string, schedule: DunningSchedule): Dunning =>
  owedOn(facts, subscription, schedule).filter(({ settledAt }) => settledAt === null);

/** An invoice that is open, or was open from its first failure until it was paid or voided (`settledAt`). */
type OwedInvoice = OpenInvoice & { readonly settledAt: Moment | null };

const owedOn = (
  facts: PaymentFacts,
  subscription: string,
  schedule: DunningSchedule,
): readonly OwedInvoice[] =>
  Object.entries(facts.invoices)
    .filter(([, invoice]) => invoice.subscription === subscription)
    .flatMap(([id, invoice]) => owedInvoice(id, invoice, schedule) ?? [])
    .sort((a, b) => (age(a) < age(b) ? -1 : 1));

const age = ({ firstFailedAt, id }: OpenInvoice): string => `${firstFailedAt} ${id}`;

function owedInvoice(id: string, invoice: InvoiceFacts, schedule: DunningSchedule): OwedInvoice | null {
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
    retriesExhaustedAt: exhaustedBy(failures, schedule),
    deadline: plus(firstFailedAt, schedule.days * DAY),
    confirmedOpenAt: invoice.confirmedOpenAt,
    settledAt,
  };
}

/** When the first attempt beyond the allowed retries failed. Events of earlier attempts may be missing. */
function exhaustedBy(failures: InvoiceFacts['failures'], { retries }: DunningSchedule): Moment | null {
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
 * How an open invoice counts at its deadline if the processor has not confirmed it. `unreachable`: it does not count yet,
 * because the processor can be asked. `no processor`: it counts, because webhooks are the only source.
 */
export type DeadlineRule = 'unreachable' | 'no processor';

/** How long a customer is served beyond a deadline while the processor cannot be asked. */
export const CONFIRMATION_TIMEOUT = 24 * HOUR;

/** When time alone exhausts the dunning of an invoice, without another event (D28). */
export const exhaustsAt = ({ deadline, confirmedOpenAt }: OpenInvoice, deadlineRule: DeadlineRule): Moment =>
  deadlineRule === 'unreachable' && (confirmedOpenAt ?? '') < deadline
    ? plus(deadline, CONFIRMATION_TIMEOUT)
    : deadline;

/**
 * When an invoice exhausted its dunning; null if it has not. Late work counts as of the moment at which it fell due.
 * Failed retries exhaust it without a question; at the deadline the processor is asked first (D28).
 */
export function exhaustedSince(invoice: OpenInvoice, now: Moment, deadlineRule: DeadlineRule): Moment | null {
  const exhaustedAt = [invoice.retriesExhaustedAt, exhaustsAt(invoice, deadlineRule)];
  return exhaustedAt.filter((end) => end !== null && end <= now).sort()[0] ?? null;
}

/**
 * Since when a subscription is suspended for payment failure; null if it is not (D28).
 *
 * Dunning goes on while invoices are open without a gap. Once one invoice has exhausted it, paying that invoice does not
 * end the cause while another one is open. Only the facts count here, so that the order of their events does not matter.
 */
export function paymentFailureSince(
  facts: PaymentFacts,
  subscription: string,
  schedule: DunningSchedule,
  now: Moment,
  deadlineRule: DeadlineRule,
): Moment | null {
  const episode = owedWithoutBreak(owedOn(facts, subscription, schedule));
  const exhaustedAt = episode.flatMap((invoice) => {
    const at = exhaustedSince(invoice, now, deadlineRule);
    const wasPaidInTime = at === null || (invoice.settledAt !== null && invoice.settledAt <= at);
    return wasPaidInTime ? [] : [at];
  });
  return exhaustedAt.sort().at(0) ?? null;
}

/** All open invoices, and all settled ones that were open at the same time as one of these, transitively. */
function owedWithoutBreak(all: readonly OwedInvoice[]): readonly OwedInvoice[] {
  const open = all.filter(({ settledAt }) => settledAt === null);
  let [since] = open.map(({ firstFailedAt }) => firstFailedAt).sort();
  const episode = [...open];
  const latestFirst = all
    .filter((invoice): invoice is OwedInvoice & { readonly settledAt: Moment } => invoice.settledAt !== null)
    .sort((a, b) => (a.settledAt > b.settledAt ? -1 : 1));
  for (const invoice of latestFirst) {
    if (since === undefined || invoice.settledAt <= since) break;
    episode.push(invoice);
    if (invoice.firstFailedAt < since) since = invoice.firstFailedAt;
  }
  return episode;
}
