import { randomUUID } from 'node:crypto';
import type { ChangeFollower } from '../../../src/adapters/caching/change-follower.js';
import { LiveFeed } from '../../../src/adapters/live/changes/live-feed.js';
import { DestinationBatches } from '../../../src/adapters/live/destination-batches.js';
import { MemoryAccounts } from '../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryOutbox } from '../../../src/adapters/memory/accounts/memory-outbox.js';
import { MemoryDestinations } from '../../../src/adapters/memory/destinations/memory-destinations.js';
import { MemoryFeedHistory } from '../../../src/adapters/memory/feed/memory-feed-history.js';
import { MemoryChangeLogs } from '../../../src/adapters/memory/memory-change-logs.js';
import { MemoryHeldLeases } from '../../../src/adapters/memory/memory-held-leases.js';
import { DeliverOne } from '../../../src/application/destinations/deliver-one.js';
import { DeliverToDestinations } from '../../../src/application/destinations/deliver-to-destinations.js';
import { StepRecorder } from '../../../src/application/destinations/step-recorder.js';
import { DELIVERING } from '../../../src/application/held-jobs.js';
import type { Account } from '../../../src/domain/accounts/account.js';
import type { DeliveryId, Destination, DestinationId } from '../../../src/domain/destinations/destination.js';
import { type DestinationEvent, stateAfter } from '../../../src/domain/destinations/destination-state.js';
import { termFilterOf } from '../../../src/domain/feed/filters/filter-values.js';
import { NO_FILTER, type StreamFilter } from '../../../src/domain/feed/stream-filter.js';
import type { Suspension } from '../../../src/domain/keys/api-key.js';
import type { Label } from '../../../src/domain/keys/label.js';
import { type Duration, type Moment, plus } from '../../../src/domain/moment.js';
import { followerOf } from '../copies/followed-feed.js';
import { accepted, NOON } from '../objects/builders.js';
import { anAccount } from '../service/accounts.js';
import { type ModelFilter, wholeFeed } from '../streams/model-items.js';
import { RestorableFeed } from '../streams/restorable-feed.js';
import { aDestination } from './destinations.js';
import { ModelReceiver } from './model-receiver.js';

/** The filters of the model, by the text that is stored. */
const FILTERS: Readonly<Record<string, ModelFilter>> = {
  '': { markets: null, terms: [] },
  'category=x': { markets: null, terms: termFilterOf({ category: ['x'] }) },
  'market_id=m1': { markets: ['m1'], terms: [] },
};

const streamFilterOf = (text: string): StreamFilter => {
  const { markets, terms } = FILTERS[text] ?? FILTERS[''] ?? { markets: null, terms: [] };
  return markets === null && terms.length === 0
    ? NO_FILTER
    : { newsId: null, marketIds: markets === null ? null : new Set(markets), terms };
};

type Running = {
  readonly engine: DeliverToDestinations;
  readonly follower: ChangeFollower;
  isKilled: boolean;
};

/** Destinations of one account over a feed in memory, with a process that delivers and that can be killed. */
export class ModelDeliveries {
  readonly feed = new RestorableFeed();
  readonly outbox = new MemoryOutbox();
  readonly accounts = new MemoryAccounts(this.outbox);
  readonly leases = new MemoryHeldLeases();
  readonly destinations = new MemoryDestinations({
    accounts: this.accounts,
    outbox: this.outbox,
    heldLeases: this.leases,
    newest: () => this.feed.log.newest,
    clock: () => this.now,
  });
  readonly receivers = new Map<DestinationId, ModelReceiver>();
  readonly faults: unknown[] = [];
  /** The answers to requests for permits; granted when none is left. */
  permits: ('granted' | 'refused')[] = [];
  now: Moment = NOON;
  #account: Account | null = null;
  #running: Running | null = null;

  get account(): Account {
    if (this.#account === null) throw new Error('not opened');
    return this.#account;
  }

  async open(): Promise<void> {
    this.#account = await anAccount(this.accounts);
    await this.restart();
  }

  async create(filter: string, changes: Partial<Destination> = {}): Promise<DestinationId> {
    const destination = aDestination({ account: this.account.id, filter, ...changes });
    const { id } = destination;
    const walk = () => wholeFeed(this.feed, this.filterOf(filter));
    this.receivers.set(id, new ModelReceiver(walk));
    accepted(
      (await this.destinations.change(this.account.id, () => ({ id, next: destination, entries: [] }))) ?? {},
    );
    return id;
  }

  filterOf(text: string): ModelFilter {
    return FILTERS[text] ?? { markets: null, terms: [] };
  }

  /** The receiver of the destination that was created as this one. */
  receiverOf(index: number): ModelReceiver {
    const receiver = [...this.receivers.values()][index];
    if (receiver === undefined) throw new Error(`there is no destination ${index}`);
    return receiver;
  }

  /** The owner renames every destination. */
  edit(): Promise<void> {
    return this.#change((destination) => ({ ...destination, label: `${destination.label}.` as Label }));
  }

  refilter(filter: string): Promise<void> {
    return this.#change((destination) => ({ ...destination, filter }));
  }

  happens(event: DestinationEvent): Promise<void> {
    return this.#change((destination) => ({
      ...destination,
      state: stateAfter(destination.state, event, this.now),
    }));
  }

  remove(): Promise<void> {
    return this.#change(() => null);
  }

  /** The destination, if there is one only. */
  async only(): Promise<Destination> {
    const [stored] = await this.destinations.of(this.account.id);
    if (stored === undefined) throw new Error('there is no destination');
    return stored.destination;
  }

  /** An operator holds or releases the subscription. */
  async hold(isHeld: boolean): Promise<void> {
    const suspension: Suspension = isHeld
      ? { status: 'suspended', causes: ['manual_hold'] }
      : { status: 'active' };
    await this.accounts.change(this.account.id, (account) => ({
      next: { ...account, subscription: { ...account.subscription, suspension } },
      entries: [],
    }));
  }

  async #change(next: (destination: Destination) => Destination | null): Promise<void> {
    for (const id of this.receivers.keys())
      await this.destinations.change(this.account.id, (all) => {
        const destination = all.find((one) => one.id === id);
        if (destination === undefined) throw new Error('no such destination');
        return { id, next: next(destination), entries: [] };
      });
  }

  /** Replaces the process: what it was about to send is sent nowhere, and what it was about to record is lost. */
  async restart(): Promise<void> {
    if (this.#running !== null) this.#running.isKilled = true;
    this.#running = await this.#start();
  }

  /** The process reads the log, and does what is due. */
  async round(): Promise<void> {
    const { engine, follower } = this.#process();
    await follower.readNow();
    await engine.deliver();
    await engine.settled();
  }

  async rounds(count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) await this.round();
  }

  /** Begins a turn without waiting for the deliveries. */
  async beginRound(): Promise<void> {
    const { engine, follower } = this.#process();
    await follower.readNow();
    await engine.deliver();
  }

  wait(length: Duration): void {
    this.now = plus(this.now, length);
  }

  /** Returns to the state before the last changes of the feed, as a process that notices it does. */
  async restore(operations: number): Promise<void> {
    const before = this.feed.restores;
    await this.feed.restore(operations);
    if (this.feed.restores > before) await this.destinations.reset();
  }

  #process(): Running {
    if (this.#running === null) throw new Error('not opened');
    return this.#running;
  }

  async #start(): Promise<Running> {
    const follower = followerOf(new MemoryChangeLogs(this.accounts, this.feed), (fault) =>
      this.faults.push(fault),
    );
    const history = new MemoryFeedHistory(this.feed);
    const liveFeed = new LiveFeed({
      history,
      now: () => performance.now(),
      readNow: () => follower.readNow(),
    });
    follower.keep({
      apply: ({ feed }) => liveFeed.add(this.feed.withItems(feed)),
      rebuild: (position) => {
        liveFeed.rebuild(position, this.feed.state.head);
        liveFeed.noteHead(this.feed.state.head);
      },
    });
    await follower.start();
    await follower.readNow();
    await this.leases.renew('holder', [DELIVERING]);
    const running: Running = {
      follower,
      isKilled: false,
      engine: this.#engine(liveFeed, () => running.isKilled),
    };
    return running;
  }

  #engine(liveFeed: LiveFeed, isKilled: () => boolean): DeliverToDestinations {
    const pause = (ms: number) => new Promise((done) => setTimeout(done, ms === 0 ? 0 : 1));
    const holder = () => 'holder';
    const clock = () => this.now;
    const feedBatches = new DestinationBatches(liveFeed);
    const unlessKilled = <T>(value: T): Promise<T> | T => (isKilled() ? new Promise<T>(() => {}) : value);
    const { destinations, accounts } = this;
    const recorder = new StepRecorder({
      destinations: {
        record: async (by, steps) => {
          await unlessKilled(null);
          return unlessKilled(await destinations.record(by, steps));
        },
      },
      holder,
      pause,
    });
    const deliverOne = new DeliverOne({
      feedBatches,
      recorder,
      takeReplayPermit: async () =>
        this.permits.shift() === 'refused' ? { waitSeconds: 60, violated: ['minute'] } : 'granted',
      send: async ({ id }, delivery) => {
        await unlessKilled(null);
        const receiver = this.receivers.get(id);
        if (receiver === undefined) throw new Error('a delivery to an unknown destination');
        return unlessKilled(receiver.receive(delivery));
      },
      readFilter: streamFilterOf,
      newDeliveryId: () => `msg_${randomUUID()}` as DeliveryId,
      random: () => 0,
      clock,
      pause,
      note: () => {},
    });
    let ticks = 0;
    return new DeliverToDestinations({
      destinations,
      accounts,
      feedBatches,
      deliverOne,
      readFilter: streamFilterOf,
      clock,
      // Each look at the clock is later than the interval of reads.
      monotonicClock: () => {
        ticks += 1_000;
        return ticks;
      },
      holder,
      term: () => (isKilled() ? null : 1),
      report: (fault) => this.faults.push(fault),
      workers: 4,
    });
  }
}
