import type { Clock } from '../../../application/ports/clock.js';
import type {
  HeldSlot,
  SlotAnswer,
  SlotLoss,
  SlotRequest,
  StreamId,
  StreamSlots,
} from '../../../application/ports/limits/stream-slots.js';
import type { MonotonicClock } from '../../../application/ports/monotonic-clock.js';
import type { SubscriptionId } from '../../../domain/billing/subscription.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import {
  ENDED_KEPT_SECONDS,
  isReplacedLately,
  mayTakeAgain,
  openByKey,
  protectedSeconds,
  type SlotHolder,
  slotFor,
  streamsBeyond,
} from '../../../domain/limits/streams.js';
import { epochSeconds } from '../../../domain/moment.js';
import { Listeners } from '../../listeners/listeners.js';

/** Times are seconds of the monotonic clock. */
type Slot = Omit<SlotHolder, 'protectedUntil'> & {
  readonly stream: StreamId;
  readonly openedAt: number;
  leasedUntil: number;
  protectedUntil: number;
};

type Slots = Map<StreamId, Slot>;

/** What the slots of streams need. `clock` counts replacements, so that a test clock moves their window. */
export type SlotSettings = {
  readonly clock: Clock;
  readonly monotonicClock: MonotonicClock;
  readonly leaseSeconds: number;
};

/** The slots of the streams of one process. They need no lock, because each decision runs synchronously. */
export class MemoryStreamSlots implements StreamSlots {
  readonly #settings: SlotSettings;
  readonly #subscriptions = new Map<SubscriptionId, Slots>();
  /** The replacements of each key, in seconds of the service clock. */
  readonly #replaced = new Map<KeyId, readonly number[]>();
  /** The streams that were replaced or reduced, and until when that is remembered; the oldest first. */
  readonly #ended = new Map<StreamId, number>();
  readonly #listeners = new Listeners<{ readonly stream: StreamId; readonly why: SlotLoss }>();
  #sweepAt = 0;

  constructor(settings: SlotSettings) {
    this.#settings = settings;
  }

  /** The number of stored slots, including expired ones that are not swept yet. */
  get size(): number {
    return [...this.#subscriptions.values()].reduce((sum, { size }) => sum + size, 0);
  }

  async open(request: SlotRequest): Promise<SlotAnswer> {
    const { subscription, key, stream } = request;
    const now = this.#now();
    this.#sweep(now);
    const open = this.#openIn(subscription, now);
    if (open.has(stream)) return { granted: true, open: open.size, replaced: null };
    const wish = { ...request, replacedLately: this.#replacedLately(key).length };
    const decision = slotFor(oldestFirst(open), wish, now);
    if (!decision.granted) return { granted: false, open: open.size };
    const leasedUntil = now + this.#settings.leaseSeconds;
    const replaced = decision.replaced?.stream ?? null;
    if (replaced !== null) open.delete(replaced);
    open.set(stream, { stream, key, openedAt: now, leasedUntil, protectedUntil: now });
    this.#subscriptions.set(subscription, open);
    if (replaced !== null) this.#noteReplaced(key, replaced, now);
    return { granted: true, open: open.size, replaced };
  }

  async renew(held: readonly HeldSlot[]): Promise<readonly StreamId[]> {
    const now = this.#now();
    return held.filter((one) => !this.#renewOne(one, now)).map(({ stream }) => stream);
  }

  /** Counts streams whether their slots are free or not: slots that another store granted. */
  hold(held: readonly HeldSlot[]): void {
    const now = this.#now();
    for (const one of held) this.#hold(one, now);
  }

  async close({ subscription, stream }: Pick<HeldSlot, 'subscription' | 'stream'>): Promise<void> {
    const slots = this.#subscriptions.get(subscription);
    slots?.delete(stream);
    if (slots?.size === 0) this.#subscriptions.delete(subscription);
  }

  async reduce(subscription: SubscriptionId, allowed: number): Promise<void> {
    const now = this.#now();
    const open = this.#openIn(subscription, now);
    const beyond = streamsBeyond(oldestFirst(open), allowed);
    for (const { stream } of beyond) open.delete(stream);
    for (const { stream } of beyond) this.#end(stream, 'reduced', now);
  }

  async openByKey(subscription: SubscriptionId): Promise<ReadonlyMap<KeyId, number>> {
    const open = this.#openIn(subscription, this.#now());
    return openByKey([...open.values()].map(({ key }) => key));
  }

  onLost(listener: (stream: StreamId, why: SlotLoss) => void): () => void {
    return this.#listeners.add(({ stream, why }) => listener(stream, why));
  }

  #now(): number {
    return this.#settings.monotonicClock() / 1_000;
  }

  /** Whether the stream holds a slot afterwards. A process that was paused cannot tell, so every renewal counts as late. */
  #renewOne(held: HeldSlot, now: number): boolean {
    const { subscription, stream, allowed } = held;
    const slot = this.#subscriptions.get(subscription)?.get(stream);
    if (slot === undefined || slot.leasedUntil <= now) {
      const isFree = this.#openIn(subscription, now).size < allowed;
      if (!mayTakeAgain({ wasEnded: this.#ended.has(stream), isLate: true, isFree })) return false;
    }
    this.#hold(held, now);
    return true;
  }

  #hold({ subscription, key, stream, secondsOpen, secondsSincePong }: HeldSlot, now: number): void {
    const { leaseSeconds } = this.#settings;
    const slots: Slots = this.#subscriptions.get(subscription) ?? new Map();
    const leasedUntil = now + leaseSeconds;
    const protectedUntil = now + protectedSeconds(secondsSincePong, leaseSeconds);
    const slot = slots.get(stream);
    if (slot === undefined) {
      slots.set(stream, { stream, key, openedAt: now - secondsOpen, leasedUntil, protectedUntil });
      this.#subscriptions.set(subscription, slots);
    } else {
      slot.leasedUntil = leasedUntil;
      slot.protectedUntil = protectedUntil;
    }
  }

  /** The slots whose leases have not ended; the others are removed. */
  #openIn(subscription: SubscriptionId, now: number): Slots {
    const slots: Slots = this.#subscriptions.get(subscription) ?? new Map();
    for (const { stream, leasedUntil } of slots.values()) if (leasedUntil <= now) slots.delete(stream);
    return slots;
  }

  #replacedLately(key: KeyId): readonly number[] {
    const now = epochSeconds(this.#settings.clock());
    return this.#replaced.get(key)?.filter((at) => isReplacedLately(at, now)) ?? [];
  }

  #noteReplaced(key: KeyId, stream: StreamId, now: number): void {
    this.#replaced.set(key, [...this.#replacedLately(key), epochSeconds(this.#settings.clock())]);
    this.#end(stream, 'replaced', now);
  }

  #end(stream: StreamId, why: SlotLoss, now: number): void {
    this.#ended.set(stream, now + ENDED_KEPT_SECONDS);
    this.#listeners.notify({ stream, why });
  }

  /** Once in a lease. Otherwise subscriptions whose streams were never closed would fill the memory. */
  #sweep(now: number): void {
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + this.#settings.leaseSeconds;
    for (const subscription of [...this.#subscriptions.keys()]) {
      if (this.#openIn(subscription, now).size === 0) this.#subscriptions.delete(subscription);
    }
    for (const key of [...this.#replaced.keys()]) {
      if (this.#replacedLately(key).length === 0) this.#replaced.delete(key);
    }
    for (const [stream, until] of this.#ended) if (until <= now) this.#ended.delete(stream);
  }
}

const oldestFirst = (slots: Slots): readonly Slot[] =>
  [...slots.values()].sort((one, other) => one.openedAt - other.openedAt);
