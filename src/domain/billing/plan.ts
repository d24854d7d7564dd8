import { ownValue } from '../own-value.js';

/**
 * What a plan gives: keys in use (contract section 5.3), requests a minute and a day (D34), streams open at once (D51),
 * destinations of an account (D67). Of the plans of several prices, the one with the greatest rank counts.
 */
export type Plan = {
  readonly title: string;
  readonly rank: number;
  /** As pages show it, for example `$99 a month`. Null: only the payment processor shows it. */
  readonly price: string | null;
  readonly keys: number;
  readonly requestsPerMinute: number;
  readonly requestsPerDay: number;
  readonly streams: number;
  readonly destinations: number;
};

/** The plans by default. Settings can replace all but names and ranks (`settings/plan-settings.ts`). */
// biome-ignore format: a table is read by its columns
export const PLANS = {
  free:    { title: 'Free',    rank: 1, price: null, keys: 1, requestsPerMinute: 60,    requestsPerDay: 5_000,     streams: 1,  destinations: 1 },
  builder: { title: 'Builder', rank: 2, price: null, keys: 1, requestsPerMinute: 600,   requestsPerDay: 50_000,    streams: 5,  destinations: 5 },
  pro:     { title: 'Pro',     rank: 3, price: null, keys: 5, requestsPerMinute: 3_000, requestsPerDay: 1_000_000, streams: 25, destinations: 25 },
} as const satisfies Readonly<Record<string, Plan>>;

export type PlanName = keyof typeof PLANS;

export type Plans = Readonly<Record<PlanName, Plan>>;

/** The lowest rank first. */
export const PLAN_NAMES: readonly PlanName[] = (Object.keys(PLANS) as PlanName[]).toSorted(
  (a, b) => PLANS[a].rank - PLANS[b].rank,
);

/** Undefined for a plan that only a later version knows: an account can have it during an update. */
export const planOf = (plans: Plans, name: PlanName): Plan | undefined => ownValue(plans, name);

export const planTitle = (plans: Plans, name: PlanName): string => planOf(plans, name)?.title ?? name;

/** The plan with the greatest rank; null if there is none. */
export const highestPlan = (names: readonly PlanName[]): PlanName | null =>
  PLAN_NAMES.findLast((name) => names.includes(name)) ?? null;

/** The plan of each price of the processor, by price id: the setting `STRIPE_PRICES`. */
export type PriceMap = Readonly<Record<string, PlanName>>;
