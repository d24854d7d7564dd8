import type { Plans } from '../../domain/billing/plan.js';
import type { Subscription } from '../../domain/billing/subscription.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { OwnLimits } from '../../domain/keys/key-controls.js';
import {
  ownWindows,
  type Permit,
  permitOf,
  policiesOf,
  type Window,
  windows,
} from '../../domain/limits/rate-limit.js';
import { recordedUsage } from '../../domain/limits/recorded-usage.js';
import type { Moment } from '../../domain/moment.js';
import { knownPlan } from '../billing/known-plan.js';

/**
 * The current rate-limit windows of a subscription, with one permit in each of them. `key` is any of its keys. With `own` they begin
 * with those of this key (D72): the window of the day of the subscription stays the last one, from which lost counts are restored.
 */
export type OpenWindows = (
  subscription: Pick<Subscription, 'id' | 'plan'>,
  now: Moment,
  key: KeyId | null,
  own?: OwnLimits | null,
) => { readonly open: readonly Window[]; readonly permits: readonly Permit[] };

/** Windows are fixed and aligned to 1970 (D34), so they depend only on the plan and the clock. */
export const openWindows = ({ plans }: { readonly plans: Plans }): OpenWindows =>
  function openWindows({ id, plan }, now, key, own = null) {
    const shared = windows(id, policiesOf(knownPlan(plans, plan)), now);
    const permits = shared.map((window) => recordedPermit(window, key));
    if (own === null || key === null) return { open: shared, permits };
    const ofKey = ownWindows(id, key, own, now);
    return { open: [...ofKey, ...shared], permits: [...ofKey.map(permitOf), ...permits] };
  };

/** The properties are listed because a spread takes seven times as long (2 µs), and slows down each later use of its result. */
function recordedPermit(window: Window, key: KeyId | null): Permit {
  const { counter, capacity, lifetimeSeconds } = permitOf(window);
  return { counter, capacity, lifetimeSeconds, recorded: recordedUsage(window, key) };
}
