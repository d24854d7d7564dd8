import type { Plans } from '../../domain/billing/plan.js';
import type { Subscription } from '../../domain/billing/subscription.js';
import { type Limit, limitsOf, permitOf, policiesOf, windows } from '../../domain/limits/rate-limit.js';
import { knownPlan } from '../billing/known-plan.js';
import type { Clock } from '../ports/clock.js';
import type { Counters } from '../ports/limits/counters.js';
import { Unavailable } from '../unavailable.js';

/** The current limits of a subscription. Takes no permit. Null while the counters are unavailable, or if this version does not know the plan. */
export const readLimits = (parts: {
  readonly counters: Counters;
  readonly clock: Clock;
  readonly plans: Plans;
}) =>
  async function readLimits({ id, plan }: Subscription): Promise<readonly Limit[] | null> {
    try {
      const open = windows(id, policiesOf(knownPlan(parts.plans, plan)), parts.clock());
      const { counts } = await parts.counters.take(open.map(permitOf), 0);
      return limitsOf(open, counts);
    } catch (fault) {
      if (fault instanceof Unavailable) return null;
      throw fault;
    }
  };

export type ReadLimits = ReturnType<typeof readLimits>;
