import type { OpenInvoice } from '../../../domain/dunning.js';
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

/**
 * How things stand with an invoice that is owed: `The second retry failed; the next is expected on 3 March 2026. Keys
 * stop on 12 March 2026 unless it is paid.` `stopsAt` is null once they have.
 */
export function dunningWords(
  { firstFailedAt, failedRetries, nextRetryAt }: OpenInvoice,
  stopsAt: Moment | null,
  now: Moment,
): string {
  const failed =
    failedRetries === 0
      ? `The payment failed on ${dayText(firstFailedAt)}`
      : `The payment failed on ${dayText(firstFailedAt)}, and the ${ordinal(failedRetries)} retry failed too`;
  const next =
    nextRetryAt === null
      ? 'no further retry is expected'
      : `the ${failedRetries === 0 ? 'first retry' : 'next'} ${nextRetryAt < now ? 'was' : 'is'} expected on ${dayText(nextRetryAt)}`;
  const end =
    stopsAt === null
      ? 'Keys have stopped: they work again by themselves once it is paid.'
      : `Keys stop on ${dayText(stopsAt)} unless it is paid.`;
  return `${failed}; ${next}. ${end}`;
}
