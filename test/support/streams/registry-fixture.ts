import { randomBytes } from 'node:crypto';
import sinon from 'sinon';
import { Listeners } from '../../../src/adapters/listeners/listeners.js';
import { BatchSink } from '../../../src/adapters/live/connections/batch-sink.js';
import type { Message } from '../../../src/adapters/live/messages/message.js';
import type { RunningStream } from '../../../src/adapters/live/open-stream.js';
import { StreamRegistry } from '../../../src/adapters/live/stream-registry.js';
import { MemoryFeedHistory } from '../../../src/adapters/memory/feed/memory-feed-history.js';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { openStream } from '../../../src/application/feed/open-stream.js';
import type { StreamAccess } from '../../../src/application/limits/check-stream.js';
import type { AccountChange } from '../../../src/application/ports/change-logs.js';
import type { FeedHistory } from '../../../src/application/ports/feed/feed-history.js';
import type {
  HeldSlot,
  SlotLoss,
  StreamId,
  StreamSlots,
} from '../../../src/application/ports/limits/stream-slots.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import { DAY } from '../../../src/domain/moment.js';
import { isRefusal, type Refusal } from '../../../src/domain/refusal.js';
import { LiveFixture } from '../live/live-fixture.js';
import { nextImmediate } from '../next-immediate.js';
import { NOON } from '../objects/builders.js';
import { received, streamRequest } from './open-streams.js';
import { RecordedSink } from './recorded-sink.js';

export const HEARTBEAT_MS = 1_000;
export const RENEWAL_MS = 10_000;
export const STREAMS_MAX = 20;
/** With that of the first change of a log, which is no change of an item. */
const SAME_MARKS = 4;
const STEP_MS = 10;
const IMMEDIATES = 4;
const randomMark = () => randomBytes(8).toString('hex');

type Opening = Parameters<typeof streamRequest>[0] & { readonly isSlow?: boolean };

/** A stream with what its client was sent. */
export class OpenedStream {
  readonly messages: ReturnType<typeof received>[] = [];
  /** The types of the messages in each write. */
  readonly writes: (readonly string[])[] = [];
  readonly sink: RecordedSink;
  running: RunningStream | null = null;

  constructor(isSlow: boolean, onSent: () => void = () => {}) {
    const take = (messages: readonly Message[]) => {
      this.writes.push(messages.map(({ type }) => type));
      this.messages.push(...messages.map((message) => received(message)));
      onSent();
    };
    this.sink = new RecordedSink({ form: 'sse', isSlow, onSent: take });
  }

  types(): readonly string[] {
    return this.messages.map(({ type }) => type);
  }

  /** The ids of the items so far. */
  ids(): readonly string[] {
    return this.messages.flatMap(({ item }) => item?.news_event.id ?? []);
  }

  /** The code of the problem with which the service ended it; null while it is open. */
  problem(): string | null {
    const last = this.messages.at(-1);
    return last?.type === 'closing' ? (last.problem?.code ?? '') : null;
  }
}

/** The streams of a process over a feed in memory, whose time, slots and keys a test decides. */
export class RegistryFixture {
  readonly live = new LiveFixture();
  readonly slots = new ObservedSlots();
  readonly faults: unknown[] = [];
  /** The bytes of the items of each read for a replay. */
  readonly replayReads: number[] = [];
  access: StreamAccess | Refusal = {
    subscription: 'subscription' as SubscriptionId,
    allowed: 25,
    endsAt: null,
    controls: null,
  };
  /** Resolves when a replay may go on. */
  permit: Promise<'granted'> = Promise.resolve('granted');
  /** The permits that replays have asked for. */
  permits = 0;
  readonly #changes = new Listeners<AccountChange>();
  readonly #timers = sinon.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  });
  #ms = 0;
  readonly registry: StreamRegistry;

  constructor(heartbeatMs = HEARTBEAT_MS) {
    const { feed } = this.live;
    this.live.store = this.#newStore();
    this.live.rebuild();
    const [clock, streamSlots] = [() => NOON, this.slots];
    const history = () => new MemoryFeedHistory(this.live.store);
    const feedHistory: FeedHistory = {
      changes: (first, count) => history().changes(first, count),
      positionsOf: (numbers) => history().positionsOf(numbers),
      itemsAfter: async (...range) => {
        const read = await history().itemsAfter(...range);
        this.replayReads.push(read.items.reduce((sum, { json }) => sum + json.length, 0));
        return read;
      },
    };
    this.registry = new StreamRegistry({
      ...{ liveFeed: feed, feedHistory, streamSlots, clock },
      monotonicClock: () => this.#ms,
      report: (fault) => void this.faults.push(fault),
      openStream: openStream({
        followedFeed: feed,
        streamSlots,
        clock,
        plans: PLANS,
        feedChangesKept: 7 * DAY,
      }),
      checkStream: () => this.access,
      takeReplayPermit: () => {
        this.permits += 1;
        return this.permit;
      },
      accountChanges: { onChange: (listener) => this.#changes.add(listener) },
      notes: {
        ...{ opened: () => {}, closed: () => {}, delivered: () => {} },
        ...{ resumed: () => {}, replayPermit: () => {}, refused: (why) => why, limitedTo: () => {} },
      },
      settings: { streamsMax: STREAMS_MAX, heartbeatMs, renewalMs: RENEWAL_MS, pauseMs: 0 },
    });
  }

  async close(): Promise<void> {
    await this.registry.close();
    this.#timers.restore();
  }

  /** The milliseconds since the start. */
  get ms(): number {
    return this.#ms;
  }

  async prepare(opening: Opening = {}) {
    const prepared = await this.registry.open(streamRequest(opening));
    if (typeof prepared === 'string' || isRefusal(prepared)) throw new Error('the stream does not open');
    return prepared;
  }

  async open({ isSlow = false, ...opening }: Opening = {}, onSent?: () => void): Promise<OpenedStream> {
    const prepared = await this.prepare(opening);
    const opened = new OpenedStream(isSlow, onSent);
    opened.running = prepared.start(opened.sink);
    await this.settle();
    return opened;
  }

  async openBatch(opening: Opening, { limit = 100, waitMs = 0 } = {}) {
    const sink = new BatchSink({ limit, waitMs });
    const prepared = await this.prepare({ ...opening, form: 'batch' });
    const running = prepared.start(sink);
    await this.settle();
    return { sink, running };
  }

  /** Publishes items from number `first` on, and follows the log. */
  async publish(first: number, count: number, text = ''): Promise<void> {
    await this.live.publish(first, count, text);
    this.live.follow();
    await this.settle();
  }

  /** The store returns to its state after the first `count` items, whose changes keep their positions. */
  async restore(count: number): Promise<void> {
    this.live.store = this.#newStore();
    await this.live.publish(1, count);
    this.live.rebuild();
    await this.settle();
  }

  async changeKey(): Promise<void> {
    this.#changes.notify({ keys: [streamRequest().hash] });
    await this.settle();
  }

  async advance(ms: number): Promise<void> {
    for (const end = this.#ms + ms; this.#ms < end; ) {
      this.#ms += STEP_MS;
      this.#timers.tick(STEP_MS);
      await this.settle();
    }
  }

  /** Its first changes have the same marks in each store. */
  #newStore(): MemoryFeedStore {
    let changes = 0;
    return new MemoryFeedStore(() => {
      changes += 1;
      return changes <= SAME_MARKS ? changes.toString(16).padStart(16, '0') : randomMark();
    });
  }

  async settle(): Promise<void> {
    for (let i = 0; i < IMMEDIATES; i += 1) await nextImmediate();
  }
}

/** Any number of slots, and what the registry did with them. */
class ObservedSlots implements StreamSlots {
  readonly #lost = new Set<(stream: StreamId, why: SlotLoss) => void>();
  readonly opened: StreamId[] = [];
  readonly closed: StreamId[] = [];
  readonly renewed: (readonly HeldSlot[])[] = [];
  readonly reduced: number[] = [];
  /** What the next renewals return. */
  gone: readonly StreamId[] = [];

  lose(stream: StreamId | undefined, why: SlotLoss): void {
    for (const listener of this.#lost) if (stream !== undefined) listener(stream, why);
  }

  async open({ stream }: { readonly stream: StreamId }) {
    this.opened.push(stream);
    return { granted: true, open: this.opened.length, replaced: null } as const;
  }

  async renew(held: readonly HeldSlot[]): Promise<readonly StreamId[]> {
    // Copies: the times of a stream go on.
    this.renewed.push(
      held.map(({ subscription, key, stream, allowed, secondsOpen, secondsSincePong }) => ({
        ...{ subscription, key, stream, allowed, secondsOpen, secondsSincePong },
      })),
    );
    return this.gone;
  }

  async close({ stream }: { readonly stream: StreamId }): Promise<void> {
    this.closed.push(stream);
  }

  async reduce(_: SubscriptionId, allowed: number): Promise<void> {
    this.reduced.push(allowed);
  }

  async openByKey() {
    return new Map();
  }

  onLost(listener: (stream: StreamId, why: SlotLoss) => void): () => void {
    this.#lost.add(listener);
    return () => void this.#lost.delete(listener);
  }
}
