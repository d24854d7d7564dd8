import { ChangeFollower } from '../../../src/adapters/caching/change-follower.js';
import { LiveFeed } from '../../../src/adapters/live/changes/live-feed.js';
import type { Message } from '../../../src/adapters/live/messages/message.js';
import type { PreparedStream, StreamRequest } from '../../../src/adapters/live/open-stream.js';
import { StreamRegistry } from '../../../src/adapters/live/stream-registry.js';
import { MemoryAccounts } from '../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryFeedHistory } from '../../../src/adapters/memory/feed/memory-feed-history.js';
import { MemoryChangeLogs } from '../../../src/adapters/memory/memory-change-logs.js';
import { openStream } from '../../../src/application/feed/open-stream.js';
import type { FeedChange } from '../../../src/application/ports/change-logs.js';
import type { StoredChange } from '../../../src/application/ports/feed/feed-history.js';
import type { StreamSlots } from '../../../src/application/ports/limits/stream-slots.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import { type PositionToken, positionToken } from '../../../src/domain/feed/position.js';
import { readStreamPosition } from '../../../src/domain/feed/stream-position.js';
import { isInItems, logPositionOf } from '../../../src/domain/feed/stream-start.js';
import { DAY } from '../../../src/domain/moment.js';
import type { Refusal } from '../../../src/domain/refusal.js';
import { NEVER_PAUSED } from '../copies/followed-feed.js';
import { NOON } from '../objects/builders.js';
import type { RestorableFeed } from './restorable-feed.js';
import type { SlowAnswers } from './slow-answers.js';

export const HEARTBEAT_MS = 250;

/** The sizes of what an instance keeps in memory. */
export type Sizes = { readonly windowBytes: number; readonly blocksBytes: number };

type Options = Sizes & {
  readonly feed: RestorableFeed;
  readonly store: SlowAnswers;
  /** Called for everything that must not happen. */
  readonly report: (fault: unknown) => void;
};

const SUBSCRIPTION = 'subscription' as SubscriptionId;

/** Any number of streams. */
const ANY_STREAMS: StreamSlots = {
  open: async () => ({ granted: true, open: 1, replaced: null }),
  renew: async () => [],
  close: async () => {},
  reduce: async () => {},
  openByKey: async () => new Map(),
  onLost: () => () => {},
};

/** An instance of the service over a shared feed: it follows the logs when a test says so, and serves streams. */
export class ModelInstance {
  readonly #options: Options;
  readonly #follower: ChangeFollower;
  readonly #liveFeed: LiveFeed;
  readonly #streams: StreamRegistry;
  /** The number of the last change of each item that this instance has applied. */
  readonly #applied = new Map<string, number>();
  /** The changes that were read from the log, with their items. */
  readonly #read = new Map<PositionToken, StoredChange>();
  /** Each call moves it, so that every few steps of the pump take a turn. */
  #now = 0;
  isClosed = false;

  constructor(options: Options) {
    this.#options = options;
    const { feed, store, windowBytes, blocksBytes } = options;
    const now = () => (this.#now += 1);
    const report = (fault: unknown) => this.#report(fault);
    this.#follower = new ChangeFollower({
      logs: store.around(new MemoryChangeLogs(new MemoryAccounts(), this.#readWithItems(feed))),
      ...{ now, pauses: NEVER_PAUSED, isStoreAway: () => store.isAway, onOlderState: () => {}, report },
    });
    const history = store.around(new MemoryFeedHistory(feed));
    const readNow = () => this.#follower.readNow();
    this.#liveFeed = new LiveFeed({ history, readNow, now, windowBytes, blocksBytes });
    this.#follower.keep({
      apply: (changes) => this.#apply(changes.feed),
      rebuild: (position) => {
        this.#applied.clear();
        this.#liveFeed.rebuild(position, null);
        this.#liveFeed.noteHead(feed.state.head);
      },
    });
    const opening = {
      followedFeed: this.#liveFeed,
      streamSlots: ANY_STREAMS,
      plans: PLANS,
      clock: () => NOON,
    };
    this.#streams = new StreamRegistry({
      ...{ liveFeed: this.#liveFeed, feedHistory: history, streamSlots: ANY_STREAMS },
      ...{ clock: () => NOON, monotonicClock: now, report },
      openStream: openStream({ ...opening, feedChangesKept: 7 * DAY }),
      checkStream: () => ({ subscription: SUBSCRIPTION, allowed: 1, endsAt: null, controls: null }),
      takeReplayPermit: async () => 'granted',
      accountChanges: { onChange: () => () => {} },
      notes: {
        ...{ opened: () => {}, closed: () => {}, delivered: () => {} },
        ...{ resumed: () => {}, replayPermit: () => {}, refused: (why) => why, limitedTo: () => {} },
      },
      settings: { streamsMax: 1_000, heartbeatMs: HEARTBEAT_MS, renewalMs: 10_000, pauseMs: 0 },
    });
  }

  async start(): Promise<void> {
    await this.#follower.start();
    await this.#streams.start();
  }

  /** Ends it without a message to its clients, as a crash does. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([this.#streams.close(), this.#follower.close()]);
  }

  /** Reads the logs. */
  follow(): void {
    this.#follower.readSoon();
  }

  /** Null while the store is away. */
  async open(request: StreamRequest): Promise<PreparedStream | Refusal | null> {
    try {
      const opened = await this.#streams.open(request);
      return typeof opened === 'string' ? null : opened;
    } catch (fault) {
      if (fault instanceof Unavailable) return null;
      throw fault;
    }
  }

  /** Reports a message that this instance must not send, because it has applied a later change of the item (D50). */
  check({ type, position, content }: Message): void {
    const progress = readStreamPosition(position);
    if (type !== 'item' || progress === null || isInItems(progress)) return;
    const n = logPositionOf(progress).n;
    const text = `{"type":"item"${content.text.toString()}`;
    const { item } = JSON.parse(text) as { readonly item: { readonly news_event: { readonly id: string } } };
    const last = this.#applied.get(item.news_event.id) ?? 0;
    if (last > n) this.#report(new Error(`change ${n} was sent after change ${last}`));
  }

  /** The feed, whose log is read from one snapshot with the items. */
  #readWithItems(feed: RestorableFeed): Pick<RestorableFeed, 'log'> {
    const after: RestorableFeed['log']['after'] = (position, count) => {
      const entries = feed.log.after(position, count);
      if (typeof entries === 'string') return entries;
      const changes = entries.map(({ position: at, change }) => ({ position: at, ...change }));
      for (const change of feed.withItems(changes)) this.#read.set(positionToken(change.position), change);
      return entries;
    };
    const withItems = (log: RestorableFeed['log']) =>
      new Proxy(log, {
        get: (target, name) => (name === 'after' ? after : Reflect.get(target, name, target)),
      });
    return {
      get log() {
        return withItems(feed.log);
      },
    };
  }

  #apply(logged: readonly FeedChange[]): void {
    const changes = logged.flatMap(({ position }) => this.#read.get(positionToken(position)) ?? []);
    this.#read.clear();
    for (const change of changes) if ('id' in change) this.#applied.set(change.id, change.position.n);
    this.#liveFeed.add(changes);
  }

  #report(fault: unknown): void {
    if (!this.isClosed && !(fault instanceof Unavailable)) this.#options.report(fault);
  }
}
