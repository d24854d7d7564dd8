import type { MarketFacts } from '../../../domain/feed/markets/market-facts.js';
import type { Position } from '../../../domain/feed/position.js';
import type { Moment } from '../../../domain/moment.js';

/**
 * All rows of the directory that were computed from one reading of the feed. One is served. A second one can be built beside
 * it: first from the items of the feed, in the order of their times, then from the log.
 */
export type Generation = {
  readonly id: number;
  /** The rows have every change up to it, except for items that were not walked yet. */
  readonly position: Position;
  /** The time up to which the items were walked; null when all were. */
  readonly walkedTo: Moment | null;
  readonly isServed: boolean;
};

/** An item with its markets, as it is in the feed. */
export type ProjectedItem = {
  readonly id: string;
  readonly scoredAt: Moment;
  readonly markets: readonly MarketFacts[];
};

/** Changes of a generation, with what it becomes. */
export type ProjectionStep = {
  readonly from: Generation;
  readonly to: Generation;
  readonly removed: readonly string[];
  /** Each replaces what the generation has of its id. */
  readonly items: readonly ProjectedItem[];
};

/**
 * Writes the directory of markets (D65).
 *
 * What every adapter guarantees:
 * - `apply` changes the rows and the generation in one transaction, and only if the generation is `from`, so that a second
 *   writer changes nothing. It returns whether it did. A row of a market is what `marketRowOf` makes of all its items;
 * - a generation that becomes the served one ends all others. Rows of ended generations are never read;
 * - `begin` ends a generation that is being built;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface MarketProjection {
  /** The served generation, and the one that is being built. */
  generations(): Promise<readonly Generation[]>;
  /** Begins to build a generation. */
  begin(position: Position): Promise<void>;
  apply(step: ProjectionStep): Promise<boolean>;
  /** Deletes at most `count` rows of each kind of ended generations. Returns whether there may be more. */
  deleteEnded(count: number): Promise<boolean>;
}
