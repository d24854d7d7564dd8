import { PLAN_NAMES, type Plan, type Plans } from './plan.js';

/** The limits of a plan, in the order in which pages show them. */
export const PLAN_LIMITS = [
  'requestsPerMinute',
  'requestsPerDay',
  'streams',
  'keys',
  'destinations',
] as const;

export type PlanLimit = (typeof PLAN_LIMITS)[number];

/** What a change from one plan to another means for an account. */
export type PlanComparison = {
  readonly direction: 'none' | 'upgrade' | 'downgrade';
  /** Limits that are higher in the other plan, and limits that are lower. */
  readonly more: readonly PlanLimit[];
  readonly fewer: readonly PlanLimit[];
  /** Keys in use beyond the allowance of the other plan. They keep working, and no key can be created (D24). */
  readonly keysAbove: number;
};

/** Compares a plan with the current one. `keysInUse` as in `keys/allowance.ts`. */
export function comparePlans(current: Plan, other: Plan, keysInUse: number): PlanComparison {
  const isOther = other.rank !== current.rank;
  return {
    direction: isOther ? (other.rank > current.rank ? 'upgrade' : 'downgrade') : 'none',
    more: PLAN_LIMITS.filter((limit) => other[limit] > current[limit]),
    fewer: PLAN_LIMITS.filter((limit) => other[limit] < current[limit]),
    keysAbove: Math.max(0, keysInUse - other.keys),
  };
}

/** The next plan above this one; null for the largest. */
export const nextPlan = (plans: Plans, { rank }: Plan): Plan | null =>
  PLAN_NAMES.map((name) => plans[name]).find((plan) => plan.rank > rank) ?? null;

/** The next plan above this one that allows more keys; null if there is none. */
export const planWithMoreKeys = (plans: Plans, current: Plan): Plan | null =>
  PLAN_NAMES.map((name) => plans[name]).find((plan) => {
    const { direction, more } = comparePlans(current, plan, 0);
    return direction === 'upgrade' && more.includes('keys');
  }) ?? null;
