import { DAY, HOUR, type Moment, plus } from '../moment.js';
import type { FailedAttempt, InvoiceFacts, PaymentFacts } from './payment-event.js';

/** How long a customer is served whose payment fails, and when the processor is expected to try again (D28). */
export type DunningSchedule = {
  /** So many failed retries exhaust it; the first attempt is none. */
  readonly retries: number;
  /** Days after the first failure, for where the processor does not say. */
  readonly retryDays: readonly number[];
  /** It ends so many days after the first failure, whatever was tried. */
  readonly days: number;
};

export const DUNNING: DunningSchedule = { retries: 4, retryDays: [1, 4, 8, 14], days: 14 };

/** An invoice that was to be paid, and is not. */
export type OpenInvoice = {
  readonly id: string;
  readonly firstFailedAt: Moment;
  readonly failedRetries: number;
  /** Null when no more are expected. */
  readonly nextRetryAt: Moment | null;
  /** When the last retry that counts failed; null while there are more. */
  readonly retriesExhaustedAt: Moment | null;
  readonly deadline: Moment;
  /** When the processor, asked, last said that it is owed; null while it has not. */
  readonly confirmedOpenAt: Moment | null;
};

/** What is owed on a subscription, the oldest first; it ends when there is nothing more. */
export type Dunning = readonly OpenInvoice[];

/** Every open invoice counts by itself: two of them need two payments. */
export const dunningOf = (facts: PaymentFacts, subscription: string, schedule: DunningSchedule): Dunning =>
  owedOn(facts, subscription, schedule).filter(({ settledAt }) => settledAt === null);

/** An invoice that is owed, or was from its first failure until it was paid or voided. */
type OwedInvoice = OpenInvoice & { readonly settledAt: Moment | null };

const owedOn = (
  facts: PaymentFacts,
  subscription: string,
  schedule: DunningSchedule,
): readonly OwedInvoice[] =>
  Object.entries(facts.invoices)
    .filter(([, invoice]) => invoice.subscription === subscription)
    .flatMap(([id, invoice]) => owed(id, invoice, schedule) ?? [])
    .sort((a, b) => (age(a) < age(b) ? -1 : 1));

const age = ({ firstFailedAt, id }: OpenInvoice): string => `${firstFailedAt} ${id}`;

function owed(id: string, invoice: InvoiceFacts, schedule: DunningSchedule): OwedInvoice | null {
  const { isFirstInvoice, failures, settlement } = invoice;
  if (isFirstInvoice) return null;
  // One that was written off is owed all the same.
  const settledAt = settlement === null || settlement.value === 'uncollectible' ? null : settlement.at;
  const attempts = Object.keys(failures).map(Number);
  const moments = Object.values(failures)
    .map(({ at }) => at)
    .sort();
  const [firstFailedAt] = moments;
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

/** The first word of an attempt that is one retry too many. Attempts between may never have been told of. */
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
 * What counts of an invoice at its deadline unless the processor, asked, has confirmed it: nothing where there is
 * one to be asked, all that the webhooks said where there is none.
 */
export type Unasked = 'unreachable' | 'no processor';

/** So long a processor that cannot be asked gives a customer the benefit of the doubt. */
export const DOUBT = 24 * HOUR;

/** When time alone exhausts the dunning of an invoice, if nothing more is heard of it (D28). */
export const exhaustsAt = ({ deadline, confirmedOpenAt }: OpenInvoice, unasked: Unasked): Moment =>
  unasked === 'unreachable' && (confirmedOpenAt ?? '') < deadline ? plus(deadline, DOUBT) : deadline;

/**
 * Since when an invoice has exhausted its dunning; null while it has not. Late work acts as of the moment it
 * fell due. Retries need no question; at the deadline the processor is asked first (D28).
 */
export function exhaustedSince(invoice: OpenInvoice, now: Moment, unasked: Unasked): Moment | null {
  const ends = [invoice.retriesExhaustedAt, exhaustsAt(invoice, unasked)];
  return ends.filter((end) => end !== null && end <= now).sort()[0] ?? null;
}

/**
 * Since when payment failure stands on a subscription; null while it does not (D28).
 *
 * Dunning goes on while anything is owed without a break: once an invoice has exhausted it, its payment
 * alone does not lift the cause while another is open. This looks at nothing but the facts, so that it does
 * not matter in which order they became known.
 */
export function paymentFailureSince(
  facts: PaymentFacts,
  subscription: string,
  schedule: DunningSchedule,
  now: Moment,
  unasked: Unasked,
): Moment | null {
  const episode = owedWithoutBreak(owedOn(facts, subscription, schedule));
  const ends = episode.flatMap((invoice) => {
    const at = exhaustedSince(invoice, now, unasked);
    const wasInTime = at === null || (invoice.settledAt !== null && invoice.settledAt <= at);
    return wasInTime ? [] : [at];
  });
  return ends.sort().at(0) ?? null;
}

/** What is open, and whatever was owed beside it, or beside that, and so on back. */
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
