/** The least and the greatest number that a field of a publication may have. Without a maximum, every finite number is valid. */
export type NumberRange = { readonly minimum: number; readonly maximum?: number };

/**
 * The numbers of a sub-market (contract sections 2.8 and 2.9) as publishers may send them (D41). Items that were stored before
 * this rule can have others, and are served as they are.
 */
export const ITEM_NUMBER_RANGES = {
  /** The part of a payout: 44 cents for a dollar are 0.44. */
  ask: { minimum: 0, maximum: 1 },
  volume: { minimum: 0 },
  tickAge: { minimum: 0 },
  /** In percentage points: a price moves by one payout at most. */
  move: { minimum: -100, maximum: 100 },
} as const satisfies Readonly<Record<string, NumberRange>>;
