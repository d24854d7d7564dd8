import { PLAN_NAMES, type Plan, type Plans } from './plan.js';

/** The next plan above this one that allows more keys; null if there is none. */
export const planWithMoreKeys = (plans: Plans, { rank, keys }: Plan): Plan | null =>
  PLAN_NAMES.map((name) => plans[name]).find((plan) => plan.rank > rank && plan.keys > keys) ?? null;
