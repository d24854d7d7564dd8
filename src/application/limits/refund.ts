import { type Limit, limitsAfterRefund } from '../../domain/limits/rate-limit.js';
import { andThen, type MaybePromise, orElse } from '../maybe-promise.js';
import type { Counters, Receipt } from '../ports/limits/counters.js';
import { Unavailable } from '../unavailable.js';

/** The permit of a request, and its limits after it was taken. `receipt` is null if the request took no permit. */
type Charged = { readonly limits: readonly Limit[]; readonly receipt: Receipt | null };

/**
 * Gives back the permits of a request that cost nothing, and returns the limits after that (D34). `refunds` counts the
 * refunds of this process: in each window a subscription gets back at most as many permits as its quota has, so that
 * requests without an end are never free. Best effort: a failed refund does not make the response fail, and is not retried.
 */
export const refund = ({ counters, refunds }: { readonly counters: Counters; readonly refunds: Counters }) =>
  function refund({ limits, receipt }: Charged): MaybePromise<readonly Limit[]> {
    if (receipt === null) return limits;
    return andThen(refunds.take(receipt.permits, 1), ({ granted }) => {
      if (granted === 0) return limits;
      const returned = orElse(
        () => counters.giveBack(receipt, 1),
        () => {},
      );
      return andThen(returned, () => limitsAfterRefund(limits));
    });
  };

export type Refund = ReturnType<typeof refund>;

/**
 * Whether a request that failed may get its permit back: only if it failed before a store was asked. A store that was asked
 * and did not answer in time has done the work. An `Unavailable` without a cause was known before the store was asked.
 */
export const isFreeFault = (fault: unknown): boolean =>
  !(fault instanceof Unavailable) || fault.cause === undefined;
