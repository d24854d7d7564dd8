import { nextRetryOf, type OpenInvoice } from '../../../domain/billing/failed-invoice.js';
import type { Moment } from '../../../domain/moment.js';
import { dayText } from '../page/moment-text.js';

const ORDINALS = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
];

const ordinal = (n: number): string => ORDINALS[n - 1] ?? `${n}th`;

/** What is known of the next retry, in a sentence. A retry that was expected before now is not known to have been made. */
function nextRetryText(invoice: OpenInvoice, now: Moment): string {
  const next = nextRetryOf(invoice, now);
  switch (next.status) {
    case 'none':
      return 'No further retry is expected';
    case 'not_reported':
      return `No ${invoice.failedRetries === 0 ? '' : 'further '}retry has been reported yet`;
    case 'expected':
      return `The ${invoice.failedRetries === 0 ? 'first' : 'next'} retry is expected on ${dayText(next.at)}`;
  }
}

/** The progress of dunning for one invoice: `The payment failed on 1 March 2026. The first retry is expected on …` */
export function dunningText(invoice: OpenInvoice, now: Moment): string {
  const { firstFailedAt, failedRetries } = invoice;
  const failed =
    failedRetries === 0
      ? `The payment failed on ${dayText(firstFailedAt)}`
      : `The payment failed on ${dayText(firstFailedAt)}, and the ${ordinal(failedRetries)} retry also failed`;
  return `${failed}. ${nextRetryText(invoice, now)}.`;
}
