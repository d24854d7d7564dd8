import type { StreamClosing } from './api.js';
import { endedByService, type OddswireError } from './errors.js';
import { backoffMs, retryDelayMs, spreadMs } from './retry.js';

/** Why a stream or a batch has ended. */
export type End =
  /** The connection ended or was silent, or its data was damaged. */
  | { readonly kind: 'ended'; readonly error: OddswireError }
  /** Something on the way does not let streams through. */
  | { readonly kind: 'blocked' }
  | { readonly kind: 'closing'; readonly closing: StreamClosing }
  | { readonly kind: 'refused'; readonly error: OddswireError }
  /** A complete batch. The next one is requested after `waitMs`. */
  | { readonly kind: 'batch'; readonly waitMs: number };

export type Form = 'stream' | 'batches';

/** What to do next: reconnect after a wait, request batches instead, or give up. */
export type Step =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'use batches' }
  | { readonly do: 'throw'; readonly error: OddswireError };

/** A stream that is refused with one of these statuses was refused on the way: the service has none of them for it. */
const BLOCKED_STATUSES: readonly (number | null)[] = [406, 415, 501, 502];

/** 502 is also what a proxy answers while the service restarts: batches would then cost the quota. */
const isRefusedOnTheWay = (status: number | null, attempt: number): boolean =>
  BLOCKED_STATUSES.includes(status) && (status !== 502 || attempt > 4);

/** `attempt` is the number of failures since the last message, and `random` is from 0 to 1. */
export function nextStep(
  end: End,
  form: Form,
  {
    attempt,
    maxWaitMs,
    random,
  }: { readonly attempt: number; readonly maxWaitMs: number; readonly random: number },
): Step {
  switch (end.kind) {
    case 'ended':
      return { do: 'wait', ms: backoffMs(attempt, random) };
    case 'batch':
      return { do: 'wait', ms: end.waitMs };
    case 'blocked':
      return { do: 'use batches' };
    case 'closing':
      return afterClosing(end.closing, maxWaitMs, random);
    case 'refused': {
      if (form === 'stream' && isRefusedOnTheWay(end.error.status, attempt)) return { do: 'use batches' };
      const ms = retryDelayMs(end.error, attempt, maxWaitMs, random);
      return ms === null ? { do: 'throw', error: end.error } : { do: 'wait', ms };
    }
  }
}

function afterClosing(closing: StreamClosing, maxWaitMs: number, random: number): Step {
  const { retry_after_seconds } = closing;
  if (retry_after_seconds !== null && 1_000 * retry_after_seconds <= maxWaitMs)
    return { do: 'wait', ms: spreadMs(retry_after_seconds, random) };
  return { do: 'throw', error: endedByService(closing) };
}

/** The failure that ended a stream or a batch; null if it is none. */
export function failureOf(end: End): OddswireError | null {
  switch (end.kind) {
    case 'ended':
    case 'refused':
      return end.error;
    case 'closing':
      return endedByService(end.closing);
    case 'blocked':
    case 'batch':
      return null;
  }
}
