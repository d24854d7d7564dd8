import type { Plans } from '../../domain/billing/plan.js';
import type { Subscription } from '../../domain/billing/subscription.js';
import { type Permit, permitOf, policiesOf, type Window, windows } from '../../domain/limits/rate-limit.js';
import type { Moment } from '../../domain/moment.js';
import { knownPlan } from '../billing/known-plan.js';

/** The current rate-limit windows of a subscription, with one permit in each of them. */
export type OpenWindows = (
  subscription: Pick<Subscription, 'id' | 'plan'>,
  now: Moment,
) => { readonly open: readonly Window[]; readonly permits: readonly Permit[] };

/** Windows are fixed and aligned to 1970 (D34), so they depend only on the plan and the clock. */
export const openWindows = ({ plans }: { readonly plans: Plans }): OpenWindows =>
  function openWindows({ id, plan }, now) {
    const open = windows(id, policiesOf(knownPlan(plans, plan)), now);
    return { open, permits: open.map(permitOf) };
  };
