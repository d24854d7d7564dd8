import type { Plans } from '../../domain/billing/plan.js';
import type { Subscription } from '../../domain/billing/subscription.js';
import { type Permit, permitOf, policiesOf, type Window, windows } from '../../domain/limits/rate-limit.js';
import type { Moment } from '../../domain/moment.js';

/**
 * The current rate-limit windows of a subscription, with one permit in each of them. `earlier`: its windows of an earlier
 * moment with the same plan, if they are known.
 */
export type OpenWindows = (
  subscription: Pick<Subscription, 'id' | 'plan'>,
  now: Moment,
  earlier?: readonly Window[],
) => {
  readonly open: readonly Window[];
  /**
   * Callers must copy the list before they take permits. `Counters` recognises the permits of a request by their list
   * object, and several requests may get this list.
   */
  readonly permits: readonly Permit[];
};

/** Windows are fixed and aligned to 1970 (D34), so they depend only on the plan and the clock. */
export const openWindows = ({ plans }: { readonly plans: Plans }): OpenWindows =>
  function openWindows({ id, plan }, now, earlier) {
    const open = windows(id, policiesOf(plans[plan]), now, earlier);
    return { open, permits: open.map(permitOf) };
  };
