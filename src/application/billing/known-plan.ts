import { type Plan, type PlanName, type Plans, planOf } from '../../domain/billing/plan.js';
import { NotNow } from '../unavailable.js';

/** The plan of a subscription. Throws `NotNow` for a plan that only a later version knows. */
export function knownPlan(plans: Plans, name: PlanName): Plan {
  const plan = planOf(plans, name);
  if (plan !== undefined) return plan;
  throw new NotNow('this version', new Error('update every instance'), `does not know the plan ${name}`);
}
