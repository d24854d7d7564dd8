export const PLAN_NAMES = ['free', 'builder', 'pro'] as const;

export type PlanName = (typeof PLAN_NAMES)[number];

/**
 * The limits of a subscription: keys in use (contract section 5.3), requests a minute and a day (D34), streams open at once
 * (D51).
 */
export type Plan = {
  readonly keys: number;
  readonly requestsPerMinute: number;
  readonly requestsPerDay: number;
  readonly streams: number;
};

export type Plans = Readonly<Record<PlanName, Plan>>;

// biome-ignore format: a table is read by its columns
export const PLANS: Plans = {
  free:    { keys: 1, requestsPerMinute: 60,    requestsPerDay: 5_000,     streams: 1 },
  builder: { keys: 1, requestsPerMinute: 600,   requestsPerDay: 50_000,    streams: 5 },
  pro:     { keys: 5, requestsPerMinute: 3_000, requestsPerDay: 1_000_000, streams: 25 },
};

/** The plan of each price of the processor, by price id: the setting `STRIPE_PRICES`. */
export type PriceMap = Readonly<Record<string, PlanName>>;
