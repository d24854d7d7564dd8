import type { Plans } from '../../domain/billing/plan.js';
import type { Subscription } from '../../domain/billing/subscription.js';
import { type Permit, permitOf, policiesOf, type Window, windows } from '../../domain/limits/rate-limit.js';
import type { Moment } from '../../domain/moment.js';

/** The rate-limit windows of a subscription that are open at a moment, with one permit in each of them. */
export type OpenWindows = (
  subscription: Pick<Subscription, 'id' | 'plan'>,
  now: Moment,
) => {
  readonly open: readonly Window[];
  /**
   * To be copied by whoever takes them: a permit is given back with the very list that it was taken with (`Counters`),
   * and this list may be given to several requests.
   */
  readonly permits: readonly Permit[];
};

/** Windows are fixed and aligned to 1970 (D34), so they follow from the plan and the clock alone. */
export const openWindows = ({ plans }: { readonly plans: Plans }): OpenWindows =>
  function openWindows({ id, plan }, now) {
    const open = windows(id, policiesOf(plans[plan]), now);
    return { open, permits: open.map(permitOf) };
  };
