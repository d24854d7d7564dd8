import type { Account } from '../../domain/accounts/account.js';
import type { DestinationId, Progress } from '../../domain/destinations/destination.js';
import { type DestinationState, isDelivered } from '../../domain/destinations/destination-state.js';
import type { Position } from '../../domain/feed/position.js';
import type { StreamFilter } from '../../domain/feed/stream-filter.js';
import type { Moment } from '../../domain/moment.js';
import type { StoredDestination } from '../ports/destinations/destinations.js';

/**
 * A destination as the process that delivers follows it.
 *
 * States:
 * - *idle*: it was sent every change that this process has (`hasWork` is false);
 * - *ready*: there may be changes for it, or a batch was begun (`hasWork`). It waits for a worker, for its next try, for more changes
 *   of a mail, or for its subscription (`notBefore`);
 * - *under way* (`isUnderWay`): a worker has it.
 *
 * Transitions: idle → ready when a change matches its filter, when it is loaded or changed, and after a return to an older state;
 * ready → under way when a worker is free and it is due; under way → ready after each try; under way → idle when no change is left.
 */
export class FollowedDestination {
  #stored: StoredDestination;
  #filter: StreamFilter;
  hasWork = true;
  isUnderWay = false;
  /** Its last try failed, or took long. */
  isSlow = false;
  /** It waits until then for something other than its receiver. */
  notBefore: Moment | null = null;
  /** The items that the last permit still pays for. */
  paidItems = 0;

  constructor(stored: StoredDestination, filter: StreamFilter) {
    this.#stored = stored;
    this.#filter = filter;
    this.isSlow = stored.destination.state.status === 'failing';
  }

  get stored(): StoredDestination {
    return this.#stored;
  }

  get id(): DestinationId {
    return this.#stored.destination.id;
  }

  get account(): Account['id'] {
    return this.#stored.destination.account;
  }

  get filter(): StreamFilter {
    return this.#filter;
  }

  get state(): DestinationState {
    return this.#stored.destination.state;
  }

  get progress(): Progress {
    return this.#stored.progress;
  }

  /** Whether it moves with the log, because nothing is left to send. */
  get isIdle(): boolean {
    return !this.hasWork && !this.isUnderWay && this.progress.batch === null && isDelivered(this.state);
  }

  /** Takes what its owner has changed. Its progress is known best here. */
  change({ destination, version }: StoredDestination, filter: StreamFilter): void {
    this.#stored = { destination, version, progress: this.progress };
    this.#filter = filter;
    this.hasWork = true;
    this.notBefore = null;
  }

  set(state: DestinationState, progress: Progress): void {
    const { destination, version } = this.#stored;
    this.#stored = { destination: { ...destination, state }, version, progress };
  }

  /** The permits that were taken pay for these messages. */
  notePaid({ messages }: { readonly messages: readonly unknown[] }): void {
    this.paidItems = Math.max(0, this.paidItems - messages.length);
  }

  /** No change up to it passes the filter. */
  moveTo(position: Position): void {
    this.set(this.state, { ...this.progress, position });
  }
}
