import { randomUUID } from 'node:crypto';
import type { Clock } from '../../application/ports/clock.js';
import type {
  HeldSlot,
  RenewalOf,
  SlotAnswer,
  SlotLoss,
  SlotRequest,
  StreamId,
  StreamSlots,
} from '../../application/ports/limits/stream-slots.js';
import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';
import type { SubscriptionId } from '../../domain/billing/subscription.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import { isLateRenewal, openByKey, protectedSeconds } from '../../domain/limits/streams.js';
import { epochSeconds } from '../../domain/moment.js';
import { BatchedCalls } from '../batching/batched-calls.js';
import { Listeners } from '../listeners/listeners.js';
import type { RedisConnection } from './connection.js';
import { CLOSE, LOST_SLOTS_CHANNEL, OPEN, OPEN_KEYS, REDUCE, RENEW } from './stream-slot-scripts.js';

type Redis = Pick<RedisConnection, 'run' | 'isCluster' | 'subscribe'>;
type SlotSettings = {
  /** Counts replacements, so that a test clock moves their window. */
  readonly clock: Clock;
  readonly monotonicClock: MonotonicClock;
  readonly leaseSeconds: number;
};
type ClosedSlot = Pick<HeldSlot, 'subscription' | 'stream'>;

/** Bound the time for which one script occupies Redis, to a few milliseconds. */
const OPENS_PER_SCRIPT = 64;
const STREAMS_PER_SCRIPT = 256;
/** On a cluster, a script has streams of one subscription only, so that more scripts must be under way. */
const SCRIPTS_AT_ONCE = { server: 2, cluster: 64 } as const;

const MICROSECONDS = 1_000_000;
const LOSS = /^(replaced|reduced) (\S+)$/;

/**
 * The slots of streams, shared by all instances. Each decision is one script. The keys of a subscription have the same hash
 * tag (in braces), so that a cluster keeps them on one node.
 *
 * Leases and protections end by the clock of Redis, which all instances share and no test clock moves. Whether a renewal is
 * late is decided by the monotonic clock of this instance.
 */
export class RedisStreamSlots implements StreamSlots {
  readonly #redis: Redis;
  readonly #settings: SlotSettings;
  readonly #id = randomUUID();
  readonly #listeners = new Listeners<{ readonly stream: StreamId; readonly why: SlotLoss }>();
  readonly #opens: BatchedCalls<SlotRequest, SlotAnswer>;
  readonly #scriptsAtOnce: number;
  readonly #closes: BatchedCalls<ClosedSlot, undefined>;
  /**
   * The streams that were closed within a lease, and when; the oldest first. A renewal that is under way must not take
   * their slots again.
   */
  readonly #closed = new Map<StreamId, number>();
  /** The streams whose slots may be taken since a pause of this instance. */
  readonly #late = new Set<StreamId>();
  #triedAt: number;

  constructor(redis: Redis, settings: SlotSettings) {
    this.#redis = redis;
    this.#settings = settings;
    this.#triedAt = this.#now();
    this.#scriptsAtOnce = SCRIPTS_AT_ONCE[redis.isCluster ? 'cluster' : 'server'];
    const batching = <Given>(callsMax: number, subscriptionOf: (given: Given) => SubscriptionId) => ({
      callsMax,
      concurrentMax: this.#scriptsAtOnce,
      ...(redis.isCluster && { groupOf: subscriptionOf }),
    });
    const ofSlot = ({ subscription }: ClosedSlot) => subscription;
    this.#opens = new BatchedCalls({
      ...batching<SlotRequest>(OPENS_PER_SCRIPT, ofSlot),
      run: (batch) => this.#open(batch),
    });
    this.#closes = new BatchedCalls({
      ...batching<ClosedSlot>(STREAMS_PER_SCRIPT, ofSlot),
      run: (batch) => this.#close(batch),
    });
  }

  /** Resolves when the subscription to the messages is active. The caller need not wait. */
  start(): Promise<void> {
    return this.#redis.subscribe(`${LOST_SLOTS_CHANNEL}${this.#id}`, (message) => {
      const [, why, stream] = LOSS.exec(message) ?? [];
      // Other programs may use the channel.
      if (stream !== undefined) this.#listeners.notify({ stream: stream as StreamId, why: why as SlotLoss });
    });
  }

  open(request: SlotRequest): Promise<SlotAnswer> {
    return this.#opens.call(request);
  }

  async renew(held: readonly HeldSlot[], renewalOf: RenewalOf = 'all'): Promise<readonly StreamId[]> {
    this.#noteAttempt(held, renewalOf);
    const lost = await this.#renewAll(renewalBatches(held, this.#redis.isCluster));
    this.#late.clear();
    return lost;
  }

  close(slot: ClosedSlot): Promise<void> {
    const now = this.#now();
    for (const [stream, at] of this.#closed) {
      if (now - at <= this.#settings.leaseSeconds) break;
      this.#closed.delete(stream);
    }
    this.#closed.set(slot.stream, now);
    return this.#closes.call(slot);
  }

  async reduce(subscription: SubscriptionId, allowed: number): Promise<void> {
    await this.#redis.run(REDUCE, keysOf(subscription), [allowed]);
  }

  async openByKey(subscription: SubscriptionId): Promise<ReadonlyMap<KeyId, number>> {
    return openByKey((await this.#redis.run(OPEN_KEYS, keysOf(subscription), [])) as readonly KeyId[]);
  }

  onLost(listener: (stream: StreamId, why: SlotLoss) => void): () => void {
    return this.#listeners.add(({ stream, why }) => listener(stream, why));
  }

  /** In seconds. */
  #now(): number {
    return this.#settings.monotonicClock() / 1_000;
  }

  /**
   * An attempt that fails counts too: then Redis is away, and this instance is not paused. An early renewal of some slots says
   * nothing about the others: after a pause they are still late.
   */
  #noteAttempt(held: readonly HeldSlot[], renewalOf: RenewalOf): void {
    const now = this.#now();
    const { leaseSeconds } = this.#settings;
    for (const { stream, secondsOpen } of held)
      if (isLateRenewal(now - this.#triedAt, secondsOpen, leaseSeconds)) this.#late.add(stream);
    if (renewalOf === 'all') this.#triedAt = now;
  }

  async #open(batch: readonly SlotRequest[]): Promise<readonly SlotAnswer[]> {
    const { clock, leaseSeconds } = this.#settings;
    const keys = batch.flatMap(({ subscription, key }) => [
      ...keysOf(subscription),
      `${prefixOf(subscription)}:replaced:${key}`,
    ]);
    const args = batch.flatMap(({ stream, key, allowed, isResumed }) => [
      ...[stream, key, allowed, isResumed ? 1 : 0],
    ]);
    const common = [this.#id, micros(leaseSeconds), epochSeconds(clock())];
    const results = (await this.#redis.run(OPEN, keys, [...common, ...args])) as OpenResults;
    return batch.map((_, i) => answerOf(results, 3 * i));
  }

  /**
   * A few scripts at a time: many would fill the queue of the connection, and the breaker would take Redis for unavailable. One that
   * fails stops no other: on a cluster, the other nodes may answer, and leases there must not end.
   */
  async #renewAll(batches: readonly (readonly HeldSlot[])[]): Promise<readonly StreamId[]> {
    const lost: StreamId[] = [];
    const faults: unknown[] = [];
    const waiting = batches.values();
    const renewNext = async () => {
      for (const batch of waiting)
        await this.#renew(batch).then(
          (streams) => lost.push(...streams),
          (fault: unknown) => faults.push(fault),
        );
    };
    await Promise.all(Array.from({ length: this.#scriptsAtOnce }, renewNext));
    if (faults.length > 0) throw faults[0];
    return lost;
  }

  /** Returns the streams that hold no slot. A stream that was closed meanwhile needs none. */
  async #renew(batch: readonly HeldSlot[]): Promise<readonly StreamId[]> {
    const { leaseSeconds } = this.#settings;
    const groups = bySubscription(batch.filter(({ stream }) => !this.#closed.has(stream)));
    const renewals = [...groups.values()].map((held) => held.map((one) => this.#renewalOf(one)));
    const args = [this.#id, micros(leaseSeconds), JSON.stringify(renewals)];
    return (await this.#redis.run(RENEW, [...groups.keys()].flatMap(keysOf), args)) as readonly StreamId[];
  }

  /** In the order in which the script reads it. */
  #renewalOf({ stream, key, allowed, secondsOpen, secondsSincePong }: HeldSlot): readonly unknown[] {
    const protection = protectedSeconds(secondsSincePong, this.#settings.leaseSeconds);
    return [stream, key, allowed, micros(secondsOpen), micros(protection), this.#late.has(stream)];
  }

  async #close(batch: readonly ClosedSlot[]): Promise<readonly undefined[]> {
    const keys = keysOfAll(batch.map(({ subscription }) => subscription));
    await this.#redis.run(
      CLOSE,
      keys,
      batch.map(({ stream }) => stream),
    );
    return batch.map(() => undefined);
  }
}

const micros = (seconds: number): number => Math.round(seconds * MICROSECONDS);

const prefixOf = (subscription: SubscriptionId): string => `oddswire:{${subscription}}:streams`;

/** The keys of a subscription, in the order in which the scripts read them. */
const keysOf = (subscription: SubscriptionId): readonly string[] =>
  ['', ':leases', ':opened', ':ended'].map((suffix) => `${prefixOf(subscription)}${suffix}`);

function bySubscription(held: readonly HeldSlot[]): ReadonlyMap<SubscriptionId, readonly HeldSlot[]> {
  const groups = new Map<SubscriptionId, HeldSlot[]>();
  for (const one of held) {
    const group = groups.get(one.subscription);
    if (group === undefined) groups.set(one.subscription, [one]);
    else group.push(one);
  }
  return groups;
}

/** The streams of each script. Those of one subscription follow each other, because a script names its keys once. */
function renewalBatches(held: readonly HeldSlot[], isCluster: boolean): readonly (readonly HeldSlot[])[] {
  const groups = [...bySubscription(held).values()];
  return (isCluster ? groups : [groups.flat()]).flatMap((streams) =>
    Array.from({ length: Math.ceil(streams.length / STREAMS_PER_SCRIPT) }, (_, n) =>
      streams.slice(n * STREAMS_PER_SCRIPT, (n + 1) * STREAMS_PER_SCRIPT),
    ),
  );
}

/** The keys of each slot. A subscription may have thousands, so its keys are made once. */
function keysOfAll(subscriptions: readonly SubscriptionId[]): readonly string[] {
  const made = new Map<SubscriptionId, readonly string[]>();
  return subscriptions.flatMap((subscription) => {
    const keys = made.get(subscription) ?? keysOf(subscription);
    made.set(subscription, keys);
    return keys;
  });
}

type OpenResults = readonly (number | string)[];

function answerOf(results: OpenResults, at: number): SlotAnswer {
  const [isGranted, open, replaced] = results.slice(at, at + 3);
  if (isGranted !== 1) return { granted: false, open: Number(open) };
  return { granted: true, open: Number(open), replaced: replaced === '' ? null : (replaced as StreamId) };
}
