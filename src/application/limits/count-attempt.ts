import {
  limitsOf,
  type Policy,
  permitOf,
  retryAfterSeconds,
  windows,
} from '../../domain/limits/rate-limit.js';
import type { Clock } from '../ports/clock.js';
import type { Counters } from '../ports/limits/counters.js';

/** Counts one more attempt of somebody at something; null while there are not too many, else seconds to wait. */
export const countAttempt = ({ counters, clock }: { readonly counters: Counters; readonly clock: Clock }) =>
  async function countAttempt(who: string, policy: Policy): Promise<number | null> {
    const open = windows(`attempt:${who}`, [policy], clock());
    const { granted, counts } = await counters.take(open.map(permitOf), 1);
    return granted === 1 ? null : retryAfterSeconds(limitsOf(open, counts));
  };

export type CountAttempt = ReturnType<typeof countAttempt>;
