import type { SubscriptionId } from '../../domain/billing/subscription.js';
import { FREE_CALLS } from '../../domain/limits/attempt.js';
import { limitsOf, permitOf, whyOverLimit, windows } from '../../domain/limits/rate-limit.js';
import type { Refusal } from '../../domain/refusal.js';
import type { Clock } from '../ports/clock.js';
import type { Counters } from '../ports/limits/counters.js';

/**
 * Counts a call that takes no permit, and so works when the quota is used up. Such calls have a limit of their own, because
 * they cost work too. Returns the refusal, or null.
 */
export const countFreeCall = ({ counters, clock }: { readonly counters: Counters; readonly clock: Clock }) =>
  async function countFreeCall(subscription: SubscriptionId): Promise<Refusal<'rate_limited'> | null> {
    const open = windows(`${subscription}:free`, [FREE_CALLS], clock());
    const { granted, counts } = await counters.take(open.map(permitOf), 1);
    return whyOverLimit(limitsOf(open, counts), granted, 1);
  };

export type CountFreeCall = ReturnType<typeof countFreeCall>;
