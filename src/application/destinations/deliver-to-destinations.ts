import type { Account, AccountId } from '../../domain/accounts/account.js';
import { BATCH_LIMITS } from '../../domain/destinations/batch-limits.js';
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
/** The same for a subscription that is not served: there can be many that wait for long. */
const READ_REFUSED_EVERY_MS = 2_000;
/** How often the positions of idle destinations move to the end of the log (D66). */
const ADVANCE_EVERY_MS = 60_000;
/** The positions of one statement, which must not take long. */
const ADVANCED_AT_ONCE = 500;
/** A destination whose store or feed could not answer is tried again after this time. */
const RETRY = SECOND;

/** An account as it was read: by its state, whether its destinations are delivered to. */
type Owner = { readonly account: Account; readonly isServed: boolean; readonly readAt: number };

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
  /** Tells each time apart that this process has acquired the lease of deliveries; null while it does not have it. */
  readonly term: () => number | null;
  readonly report: (fault: unknown, destination: DestinationId | null) => void;
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
  readonly #owners = new Map<AccountId, Owner>();
  /** Null: released. */
  #version: number | null = null;
  #generation = 0;
  #term: number | null = null;
  /** Those with a delivery under way, also of an earlier term: no second one begins beside it. */
  readonly #running = new Set<DestinationId>();
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
    const term = this.#parts.term();
    if (term !== this.#term) this.#drop();
    this.#term = term;
    if (term === null) return;
    await this.#readChanges();
    await this.#readOwners();
    this.#beginDue();
    this.#advance();
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
    const { destinations, monotonicClock } = this.#parts;
    const now = monotonicClock();
    if (this.#version !== null && now - this.#readAt < READ_EVERY_MS) return;
    const before = this.#version;
    const read = await destinations.changedAfter(before ?? -1);
    // Everything was dropped meanwhile.
    if (this.#version !== before) return;
    this.#readAt = now;
    this.#version = read.version;
    for (const id of read.removed) this.#forget(id);
    for (const stored of read.changed) this.#take(stored);
    if (read.generation !== this.#generation) {
      this.#generation = read.generation;
      for (const known of this.#known.values()) this.#wake(known);
    }
  }

  #forget(id: DestinationId): void {
    const known = this.#known.get(id);
    this.#known.delete(id);
    if (known !== undefined) this.#ready.delete(known);
    this.#parts.feedBatches.unfollow(id);
  }

  #take(stored: StoredDestination): void {
    const { feedBatches, readFilter } = this.#parts;
    const { id, filter: text, target } = stored.destination;
    const filter = readFilter(text);
    if (filter === null || target.kind === 'feed') return void this.#forget(id);
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

  /** The subscriptions of those that are due, in one read. */
  async #readOwners(): Promise<void> {
    const { accounts, monotonicClock, clock } = this.#parts;
    const [now, at] = [monotonicClock(), clock()];
    const wanted = new Set<AccountId>();
    for (const destination of this.#ready)
      if (mayBegin(destination, at) && this.#isOutdated(destination.account, now))
        wanted.add(destination.account);
    if (wanted.size === 0) return;
    for (const account of await accounts.findAll([...wanted])) {
      const isServed = whyAccessRefused(account.subscription, at) === null;
      this.#owners.set(account.id, { account, isServed, readAt: now });
    }
  }

  #isOutdated(account: AccountId, now: number): boolean {
    const owner = this.#owners.get(account);
    if (owner === undefined) return true;
    return now - owner.readAt >= (owner.isServed ? READ_EVERY_MS : READ_REFUSED_EVERY_MS);
  }

  #beginDue(): void {
    const now = this.#parts.clock();
    for (const destination of this.#ready) {
      const owner = this.#owners.get(destination.account);
      if (!owner?.isServed || this.#running.has(destination.id) || !mayBegin(destination, now)) continue;
      const delivery = this.#workers.begin(destination.isSlow, bytesMaxOf(destination));
      if (delivery === null) continue;
      const work = this.#begin(destination, owner.account, delivery);
      this.#underWay.add(work);
      void work.finally(() => this.#underWay.delete(work));
    }
  }

  async #begin(destination: FollowedDestination, owner: Account, delivery: BegunDelivery): Promise<void> {
    const { deliverOne, report, clock } = this.#parts;
    const { id } = destination;
    this.#running.add(id);
    destination.isUnderWay = true;
    destination.hasWork = false;
    try {
      const isCurrent = () => this.#known.get(id) === destination && this.#parts.term() === this.#term;
      const context = { generation: this.#generation, delivery, isCurrent };
      if (await deliverOne.run(destination, owner, context)) destination.hasWork = true;
    } catch (fault) {
      destination.hasWork = true;
      destination.notBefore = plus(clock(), RETRY);
      if (!(fault instanceof Unavailable)) report(fault, destination.id);
    } finally {
      destination.isUnderWay = false;
      this.#running.delete(id);
      delivery.end();
      // Behind the others that are ready.
      this.#ready.delete(destination);
      if (destination.hasWork && this.#known.get(destination.id) === destination) this.#wake(destination);
    }
  }

  /** Nothing waits for it: a position that was not stored moves again a minute later. */
  #advance(): void {
    const { feedBatches, monotonicClock, report } = this.#parts;
    const now = monotonicClock();
    if (now - this.#advancedAt < ADVANCE_EVERY_MS) return;
    this.#advancedAt = now;
    const newest = feedBatches.newest();
    const idle = [...this.#known.values()].filter(({ isIdle }) => isIdle);
    for (const destination of idle) destination.moveTo(newest);
    const ids = idle.map(({ id }) => id).toSorted();
    this.#storePositions(ids, newest).catch((fault) => {
      if (!(fault instanceof Unavailable)) report(fault, null);
    });
  }

  async #storePositions(ids: readonly DestinationId[], position: Position): Promise<void> {
    const { destinations, holder } = this.#parts;
    for (let first = 0; first < ids.length; first += ADVANCED_AT_ONCE)
      await destinations.advance(holder(), ids.slice(first, first + ADVANCED_AT_ONCE), position);
  }
}

const bytesMaxOf = ({ stored }: FollowedDestination): number => {
  const { kind } = stored.destination.target;
  return kind === 'feed' ? 0 : BATCH_LIMITS[kind].bytes;
};

const mayBegin = ({ isUnderWay, state, notBefore }: FollowedDestination, now: Moment): boolean =>
  !isUnderWay && isDue(state, now) && (notBefore === null || notBefore <= now);
