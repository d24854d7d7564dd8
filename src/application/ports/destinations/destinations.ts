import type { AccountId } from '../../../domain/accounts/account.js';
import type { Notice } from '../../../domain/accounts/notice.js';
import type { DestinationDecision } from '../../../domain/destinations/account-destinations.js';
import type { DeliveryEntry } from '../../../domain/destinations/delivery.js';
import type { Destination, DestinationId, Progress } from '../../../domain/destinations/destination.js';
import type { DestinationState } from '../../../domain/destinations/destination-state.js';
import type { Position } from '../../../domain/feed/position.js';
import type { Refusal } from '../../../domain/refusal.js';
import type { SecretHash } from '../../../domain/sign-in/sign-in.js';

/** A destination as it is stored. */
export type StoredDestination = {
  readonly destination: Destination;
  readonly progress: Progress;
  /** The number of its last change by an owner or an operator. No two changes have the same number. */
  readonly version: number;
};

/** What the process that delivers has done with one destination. */
export type DeliveryStep = {
  readonly id: DestinationId;
  readonly account: AccountId;
  /** The version that it was decided on. */
  readonly version: number;
  readonly state: DestinationState;
  readonly progress: Progress;
  readonly entry: DeliveryEntry | null;
  readonly notices: readonly Notice[];
};

/** What changed after a version. */
export type DestinationChanges = {
  readonly version: number;
  /** How often the feed returned to an older state (D69). */
  readonly generation: number;
  readonly changed: readonly StoredDestination[];
  readonly removed: readonly DestinationId[];
};

/**
 * All destinations with their progress (D66). Owners change what is delivered and where to; one process at a time delivers, and
 * records states and progress.
 *
 * What every adapter guarantees:
 * - changes of the destinations of one account are serialised, and each is one decision on all of them. State and audit entries
 *   are stored together; a refusal leaves no trace;
 * - a new destination begins at the newest change of the feed;
 * - versions become visible in their order: after `changedAfter` has returned a version, no change with a smaller one appears;
 * - a step is recorded with its entry and notices, and only if nobody has changed the destination after `version`, and `holder`
 *   holds the lease. `record` returns the ids of those that were recorded;
 * - the destinations of a deleted account are removed with it;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface Destinations {
  /** The destinations of an account, the oldest first. */
  of(account: AccountId): Promise<readonly StoredDestination[]>;
  find(id: DestinationId): Promise<StoredDestination | null>;
  /** The feed with this token. */
  findByToken(hash: SecretHash): Promise<StoredDestination | null>;
  /** Those of all accounts, the failing ones first, then the disabled ones, at most `count`. */
  list(count: number): Promise<readonly StoredDestination[]>;
  /** Returns the destination after the change; null if it was removed. Refuses `not_found`, and whatever `decide` refuses. */
  change(
    account: AccountId,
    decide: (all: readonly Destination[]) => DestinationDecision | Refusal,
  ): Promise<Destination | null | Refusal>;
  /** The last deliveries, the newest first. */
  deliveries(id: DestinationId): Promise<readonly DeliveryEntry[]>;
  /** Adds a delivery that is no step: a test, or one that is delivered again. */
  note(entry: DeliveryEntry): Promise<void>;
  changedAfter(version: number): Promise<DestinationChanges>;
  record(holder: string, steps: readonly DeliveryStep[]): Promise<ReadonlySet<DestinationId>>;
  /** Moves the position of destinations without a batch, and never back: a step may have moved it meanwhile. */
  advance(holder: string, ids: readonly DestinationId[], position: Position): Promise<void>;
  /** Every receiver is to be told of a return to an older state (D45). A second call within 10 s does nothing. */
  reset(): Promise<void>;
}
