import { countedInvalidations } from '../adapters/caching/counted-invalidations.js';
import { invalidatingFeedStore } from '../adapters/caching/feed/invalidating-feed-store.js';
import { invalidatingAccountDeletions } from '../adapters/caching/invalidating-account-deletions.js';
import { invalidatingAccounts } from '../adapters/caching/invalidating-accounts.js';
import { invalidatingInbox } from '../adapters/caching/invalidating-inbox.js';
import { MemoryAbuseSignals } from '../adapters/memory/limits/memory-abuse-signals.js';
import { MemoryCounters } from '../adapters/memory/limits/memory-counters.js';
import { MemoryStreamSlots } from '../adapters/memory/limits/memory-stream-slots.js';
import { MemoryInvalidations } from '../adapters/memory/memory-invalidations.js';
import { memoryStores } from '../adapters/memory/memory-stores.js';
import { ShiftedClock, systemClock } from '../adapters/system/system-clock.js';
import type { Clock, TestClock } from '../application/ports/clock.js';
import type { FeedStore } from '../application/ports/feed/feed-store.js';
import type { Gate } from '../application/ports/keys/gate.js';
import type { AbuseSignals } from '../application/ports/limits/abuse-signals.js';
import type { Counters } from '../application/ports/limits/counters.js';
import type { StreamSlots } from '../application/ports/limits/stream-slots.js';
import type { Stores } from '../application/ports/stores.js';
import { existing, type Made } from './container/container.js';
import type { Hooks } from './container/hooks.js';
import { followedMemory } from './live-feed.js';
import type { ProcessParts } from './process.js';

/** The servers in the settings (D43); null for a server that is not set. */
export const servers = (parts: ProcessParts, hooks: Hooks) => {
  const { config, drivers } = parts;
  const redis = drivers.redis?.connectRedis(config.redisUrls, parts, hooks) ?? null;
  const inMemory = (dependency: string, effect: string) =>
    hooks.reporting(() => ({ dependency, state: 'up', text: `in memory: ${effect}` }));
  if (redis === null) inMemory('counters', 'limits apply to this process only');
  const database = drivers.postgres?.openDatabase(config.databaseUrl ?? '', parts, hooks) ?? null;
  if (database === null) inMemory('stores', 'all data is lost when this process ends');
  return { redis: () => redis, database: () => database };
};

/** The clock (D5). With `TEST_CLOCK=1` it can be advanced, for all instances on one database at once. */
export const clocks = ({ config, database }: ProcessParts & Made<typeof servers>) => {
  const own = database === null ? new ShiftedClock() : database.testClock;
  const movable = config.testClock ? own : null;
  return {
    clock: (): Clock => movable?.now ?? systemClock,
    testClock: (): TestClock | null => movable,
  };
};

export type ClockParts = ProcessParts & Made<typeof servers> & Made<typeof clocks>;

/** Counters, abuse signals, slots and invalidations: shared by all instances if a server is set, else local to this process. */
export const shared = (parts: ClockParts) => {
  const { redis, database } = parts;
  const remote = redis?.invalidations ?? database?.invalidations();
  return {
    counters: (): Counters => {
      const local = new MemoryCounters(parts.clock);
      return redis?.counters(local) ?? local;
    },
    abuseSignals: (): AbuseSignals => {
      const local = new MemoryAbuseSignals(parts.clock);
      return redis?.abuseSignals(local) ?? local;
    },
    streamSlots: (): StreamSlots => {
      const { clock, monotonicClock, config } = parts;
      const settings = { clock, monotonicClock, leaseSeconds: config.streamSlotSeconds };
      const local = new MemoryStreamSlots(settings);
      return redis?.streamSlots(local, settings) ?? local;
    },
    invalidations: () =>
      countedInvalidations(remote ?? new MemoryInvalidations(), parts.metrics.invalidation),
  };
};

export type SharedParts = ClockParts & Made<typeof shared>;

/** The stores, in Postgres or in memory, with their caches. Changes of accounts and of the feed send invalidations. */
export const stores = (parts: SharedParts, hooks: Hooks) => {
  const { stored, followed } = storesOf(parts, hooks);
  hooks.starting(async () => parts.metrics.observe(parts.clock, stored.accountStatistics));
  return {
    ...existing<Stores>(stored),
    accounts: () => invalidatingAccounts(stored.accounts, parts.invalidations),
    accountDeletions: () => invalidatingAccountDeletions(stored.accountDeletions, parts.invalidations),
    inbox: () => invalidatingInbox(stored.inbox, parts.invalidations),
    ...followed,
  };
};

/** `followed`: the gate and the feed, and what streams follow. */
function storesOf(parts: SharedParts, hooks: Hooks) {
  const [database, { postgres }] = [parts.database, parts.drivers];
  if (database === null || postgres === null) return storesInMemory(parts, hooks);
  const stored = postgres.guardedStores(database, hooks);
  return { stored, followed: postgres.copies(stored, database, parts, hooks) };
}

function storesInMemory(parts: SharedParts, hooks: Hooks) {
  const stored = memoryStores();
  const figures = () => ({ ...stored.feed.state, copiedItems: null });
  hooks.starting(async () => parts.metrics.observeCopies(figures, () => null));
  const followed = {
    gate: (): Gate => stored.gate,
    feed: (): FeedStore => invalidatingFeedStore(stored.feed, parts.invalidations),
    ...followedMemory(stored, parts, hooks),
  };
  return { stored, followed };
}

export type StoreParts = SharedParts & Made<typeof stores>;
