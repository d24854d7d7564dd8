import {
  limitsOf,
  type Policy,
  permitOf,
  retryAfterSeconds,
  windows,
} from '../../domain/limits/rate-limit.js';
import type { Clock } from '../ports/clock.js';
import type { Counters } from '../ports/limits/counters.js';

/** Counts one attempt of a subject. Returns null if it is within the quota of the policy, else the seconds to wait. */
export const countAttempt = ({ counters, clock }: { readonly counters: Counters; readonly clock: Clock }) =>
  async function countAttempt(subject: string, policy: Policy): Promise<number | null> {
    const open = windows(`attempt:${subject}`, [policy], clock());
    const { granted, counts } = await counters.take(open.map(permitOf), 1);
    return granted === 1 ? null : retryAfterSeconds(limitsOf(open, counts));
  };

export type CountAttempt = ReturnType<typeof countAttempt>;
