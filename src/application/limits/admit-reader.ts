import type { Account } from '../../domain/accounts/account.js';
import { type AccessRefusal, whyAccessRefused } from '../../domain/limits/admission.js';
import { type Limit, limitsOf, whyOverLimit } from '../../domain/limits/rate-limit.js';
import type { Refusal } from '../../domain/refusal.js';
import type { Clock } from '../ports/clock.js';
import type { Counters } from '../ports/limits/counters.js';
import type { OpenWindows } from './open-windows.js';
import { isFreeFault, type Refund } from './refund.js';

export type ReaderRefusal = AccessRefusal | Refusal<'rate_limited'>;

/**
 * The gateway for an account holder, who reads pages without a key (D109): steps 4 and 5 of contract section 5.5, with
 * the same rules and counters as requests with a key (`admit-request.ts`).
 *
 * `read` runs after the permit is taken. If `read` throws before a store was asked, or returns `free`, the permit is given back
 * (D34). Returns the refusal, or null after `read`.
 */
export const admitReader = ({
  counters,
  refund,
  clock,
  openWindows,
}: {
  readonly counters: Counters;
  readonly refund: Refund;
  readonly clock: Clock;
  readonly openWindows: OpenWindows;
}) =>
  async function admitReader(
    { subscription, keys }: Pick<Account, 'subscription' | 'keys'>,
    read: (limits: readonly Limit[]) => Promise<unknown>,
  ): Promise<ReaderRefusal | null> {
    const now = clock();
    const refusal = whyAccessRefused(subscription, now);
    if (refusal !== null) return refusal;

    const { open, permits } = openWindows(subscription, now, keys[0]?.id ?? null);
    const { granted, counts, receipt } = await counters.take(permits, 1);
    const limits = limitsOf(open, counts);
    const overLimit = whyOverLimit(limits, granted, 1);
    if (overLimit !== null) return overLimit;
    try {
      if ((await read(limits)) === 'free') await refund({ limits, receipt });
    } catch (fault) {
      if (isFreeFault(fault)) await refund({ limits, receipt });
      throw fault;
    }
    return null;
  };

export type AdmitReader = ReturnType<typeof admitReader>;
