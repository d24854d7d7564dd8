import type { Moment } from '../moment.js';

/** How long a customer is served after a payment failed, and when retries of the processor are expected (D28). */
export type DunningSchedule = {
  /** The number of failed retries that exhausts dunning. The first attempt is not a retry. */
  readonly retries: number;
  /** Expected retries, in days after the first failure. Used when the processor does not report the next attempt. */
  readonly retryDays: readonly number[];
  /** Dunning is exhausted this many days after the first failure, whatever the number of retries. */
  readonly days: number;
};

/** An invoice whose payment failed and that is still open. */
export type OpenInvoice = {
  readonly id: string;
  readonly firstFailedAt: Moment;
  readonly failedRetries: number;
  /** Null if no further retry is expected. */
  readonly nextRetryAt: Moment | null;
  /** When the last counted retry failed; null while retries remain. */
  readonly retriesExhaustedAt: Moment | null;
  readonly deadline: Moment;
  /** When the processor last answered that it is open; null if it never did. */
  readonly confirmedOpenAt: Moment | null;
};

/** When the processor is asked, and when it last answered that a payment is still missing. */
export type PaymentDeadline = Pick<OpenInvoice, 'deadline' | 'confirmedOpenAt'>;

/** An invoice that is open, or was open from its first failure until it was paid or voided (`settledAt`). */
export type FailedInvoice = OpenInvoice & { readonly settledAt: Moment | null };

/** What is known of the next retry: `not_reported` if it was expected before now, and the processor has reported none. */
export type NextRetry =
  | { readonly status: 'expected'; readonly at: Moment }
  | { readonly status: 'not_reported' }
  | { readonly status: 'none' };

export function nextRetryOf({ nextRetryAt }: Pick<OpenInvoice, 'nextRetryAt'>, now: Moment): NextRetry {
  if (nextRetryAt === null) return { status: 'none' };
  return nextRetryAt < now ? { status: 'not_reported' } : { status: 'expected', at: nextRetryAt };
}
