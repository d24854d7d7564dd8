import type { Account, AccountId } from '../../domain/accounts/account.js';
import type { DestinationId } from '../../domain/destinations/destination.js';
import { isDelivered, isDue } from '../../domain/destinations/destination-state.js';
import type { Position } from '../../domain/feed/position.js';
import type { StreamFilter } from '../../domain/feed/stream-filter.js';
import { whyAccessRefused } from '../../domain/limits/admission.js';
import { type Moment, plus, SECOND } from '../../domain/moment.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { Destinations, StoredDestination } from '../ports/destinations/destinations.js';
import type { FeedBatches } from '../ports/destinations/feed-batches.js';
import type { MonotonicClock } from '../ports/monotonic-clock.js';
import { Unavailable } from '../unavailable.js';
import type { DeliverOne } from './deliver-one.js';
import { type BegunDelivery, DeliveryWorkers } from './delivery-workers.js';
import { FollowedDestination } from './followed-destination.js';

/** How often changes by owners, and the states of their subscriptions, are read while there is work. */
const READ_EVERY_MS = 500;
/** How often the positions of idle destinations move to the end of the log (D66). */
const ADVANCE_EVERY_MS = 60_000;
/** A destination whose store or feed could not answer is tried again after this time. */
const RETRY = SECOND;

type Parts = {
  readonly destinations: Destinations;
  readonly accounts: Pick<Accounts, 'findAll'>;
  readonly feedBatches: FeedBatches;
  readonly deliverOne: Pick<DeliverOne, 'run'>;
  /** Null for filters that this version cannot read. */
  readonly readFilter: (filter: string) => StreamFilter | null;
  readonly clock: Clock;
  readonly monotonicClock: MonotonicClock;
  readonly holder: () => string;
  /** Whether this process has the lease of deliveries. */
  readonly mayDeliver: () => boolean;
  readonly report: (fault: unknown, destination: DestinationId) => void;
  readonly workers: number;
};

/**
 * Delivers the feed to all destinations (D66 to D69), on one process at a time. `deliver` is called repeatedly. It begins what is due
 * and does not wait for it.
 *
 * States: *released* (another process delivers: nothing is known here) and *delivering* (all destinations are known, and matched
 * with each change of the feed). Transitions: released → delivering when the lease is acquired; delivering → released when it is
 * lost; delivering → delivering with everything loaded anew after a return to an older state.
 */
export class DeliverToDestinations {
  readonly #parts: Parts;
  readonly #workers: DeliveryWorkers;
  readonly #known = new Map<DestinationId, FollowedDestination>();
  readonly #ready = new Set<FollowedDestination>();
  readonly #underWay = new Set<Promise<void>>();
  #owners = new Map<AccountId, { readonly account: Account; readonly readAt: number }>();
  /** Null: released. */
  #version: number | null = null;
  #generation = 0;
  #readAt = 0;
  #advancedAt = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#workers = new DeliveryWorkers(parts.workers);
    parts.feedBatches.onMatch((id, before) => this.#matched(this.#known.get(id), before));
    parts.feedBatches.onRebuild(() => this.#drop());
  }

  get figures(): { readonly known: number; readonly ready: number; readonly underWay: number } {
    return { known: this.#known.size, ready: this.#ready.size, underWay: this.#workers.underWay };
  }

  async deliver(): Promise<void> {
    if (!this.#parts.mayDeliver()) return this.#drop();
    await this.#readChanges();
    await this.#readOwners();
    this.#beginDue();
    await this.#advance();
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #drop(): void {
    for (const id of this.#known.keys()) this.#parts.feedBatches.unfollow(id);
    this.#known.clear();
    this.#ready.clear();
    this.#owners.clear();
    this.#version = null;
  }

  async #readChanges(): Promise<void> {
    const { destinations, feedBatches, monotonicClock } = this.#parts;
    const now = monotonicClock();
    if (this.#version !== null && now - this.#readAt < READ_EVERY_MS) return;
    const before = this.#version;
    const read = await destinations.changedAfter(before ?? -1);
    // Everything was dropped meanwhile.
    if (this.#version !== before) return;
    this.#readAt = now;
    this.#version = read.version;
    for (const id of read.removed) {
      const removed = this.#known.get(id);
      this.#known.delete(id);
      if (removed !== undefined) this.#ready.delete(removed);
      feedBatches.unfollow(id);
    }
    for (const stored of read.changed) this.#take(stored);
    if (read.generation !== this.#generation) {
      this.#generation = read.generation;
      for (const known of this.#known.values()) this.#wake(known);
    }
  }

  #take(stored: StoredDestination): void {
    const { feedBatches, readFilter } = this.#parts;
    const { id, filter: text, target } = stored.destination;
    const filter = readFilter(text);
    if (filter === null || target.kind === 'feed') return;
    const known = this.#known.get(id) ?? new FollowedDestination(stored, filter);
    if (this.#known.has(id)) known.change(stored, filter);
    else this.#known.set(id, known);
    feedBatches.follow(id, filter);
    this.#wake(known);
  }

  /** An idle destination had no change up to `before`. */
  #matched(destination: FollowedDestination | undefined, before: Position): void {
    if (destination === undefined) return;
    if (destination.isIdle) destination.moveTo(before);
    this.#wake(destination);
  }

  #wake(destination: FollowedDestination): void {
    destination.hasWork = true;
    if (isDelivered(destination.state)) this.#ready.add(destination);
    else this.#ready.delete(destination);
  }

  /** The subscriptions of those that are ready, in one read. */
  async #readOwners(): Promise<void> {
    const { accounts, monotonicClock } = this.#parts;
    const now = monotonicClock();
    const wanted = new Set<AccountId>();
    for (const { account } of this.#ready)
      if (now - (this.#owners.get(account)?.readAt ?? -READ_EVERY_MS) >= READ_EVERY_MS) wanted.add(account);
    if (wanted.size === 0) return;
    for (const account of await accounts.findAll([...wanted]))
      this.#owners.set(account.id, { account, readAt: now });
  }

  #beginDue(): void {
    const now = this.#parts.clock();
    for (const destination of this.#ready) {
      const owner = this.#owners.get(destination.account);
      if (owner === undefined || !this.#mayBegin(destination, owner.account, now)) continue;
      const delivery = this.#workers.begin(destination.isSlow);
      if (delivery === null) continue;
      const work = this.#begin(destination, owner.account, delivery);
      this.#underWay.add(work);
      void work.finally(() => this.#underWay.delete(work));
    }
  }

  #mayBegin(destination: FollowedDestination, owner: Account, now: Moment): boolean {
    const { isUnderWay, state, notBefore } = destination;
    if (isUnderWay || !isDue(state, now) || (notBefore !== null && notBefore > now)) return false;
    return whyAccessRefused(owner.subscription, now) === null;
  }

  async #begin(destination: FollowedDestination, owner: Account, delivery: BegunDelivery): Promise<void> {
    const { deliverOne, report, clock } = this.#parts;
    destination.isUnderWay = true;
    destination.hasWork = false;
    try {
      const isCurrent = () => this.#known.get(destination.id) === destination && this.#parts.mayDeliver();
      const context = { generation: this.#generation, delivery, isCurrent };
      if (await deliverOne.run(destination, owner, context)) destination.hasWork = true;
    } catch (fault) {
      destination.hasWork = true;
      destination.notBefore = plus(clock(), RETRY);
      if (!(fault instanceof Unavailable)) report(fault, destination.id);
    } finally {
      destination.isUnderWay = false;
      delivery.end();
      // Behind the others that are ready.
      this.#ready.delete(destination);
      if (destination.hasWork && this.#known.get(destination.id) === destination) this.#wake(destination);
    }
  }

  async #advance(): Promise<void> {
    const { destinations, feedBatches, monotonicClock, holder } = this.#parts;
    const now = monotonicClock();
    if (now - this.#advancedAt < ADVANCE_EVERY_MS) return;
    const newest = feedBatches.newest();
    const idle = [...this.#known.values()].filter(({ isIdle }) => isIdle);
    await destinations.advance(
      holder(),
      idle.map(({ id }) => id),
      newest,
    );
    this.#advancedAt = now;
  }
}
