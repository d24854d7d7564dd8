import type { OpenInvoice } from '../../../domain/billing/failed-invoice.js';
import type { Moment } from '../../../domain/moment.js';
import { dayText } from '../page/moment.js';

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

/** The progress of dunning for one invoice: `The payment failed on 1 March 2026. The first retry is expected on …` */
export function dunningText({ firstFailedAt, failedRetries, nextRetryAt }: OpenInvoice, now: Moment): string {
  const failed =
    failedRetries === 0
      ? `The payment failed on ${dayText(firstFailedAt)}`
      : `The payment failed on ${dayText(firstFailedAt)}, and the ${ordinal(failedRetries)} retry also failed`;
  const next =
    nextRetryAt === null
      ? 'No further retry is expected'
      : `The ${failedRetries === 0 ? 'first' : 'next'} retry ${nextRetryAt < now ? 'was' : 'is'} expected on ${dayText(nextRetryAt)}`;
  return `${failed}. ${next}.`;
}
