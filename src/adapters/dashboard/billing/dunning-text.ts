import type { OpenInvoice } from '../../../domain/billing/dunning.js';
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

/** How far the dunning of an open invoice is: `The payment failed on 1 March 2026; the first retry is expected on …` */
export function dunningText({ firstFailedAt, failedRetries, nextRetryAt }: OpenInvoice, now: Moment): string {
  const failed =
    failedRetries === 0
      ? `The payment failed on ${dayText(firstFailedAt)}`
      : `The payment failed on ${dayText(firstFailedAt)}, and the ${ordinal(failedRetries)} retry failed too`;
  const next =
    nextRetryAt === null
      ? 'no further retry is expected'
      : `the ${failedRetries === 0 ? 'first retry' : 'next'} ${nextRetryAt < now ? 'was' : 'is'} expected on ${dayText(nextRetryAt)}`;
  return `${failed}; ${next}.`;
}
