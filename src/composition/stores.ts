import type { AccountChanges } from '../adapters/caching/account-changes.js';
import { countedInvalidations } from '../adapters/caching/counted-invalidations.js';
import { invalidatingAccountDeletions } from '../adapters/caching/invalidating-account-deletions.js';
import { invalidatingAccounts } from '../adapters/caching/invalidating-accounts.js';
import { invalidatingInbox } from '../adapters/caching/invalidating-inbox.js';
import { MemoryAbuseSignals } from '../adapters/memory/limits/memory-abuse-signals.js';
import { MemoryCounters } from '../adapters/memory/limits/memory-counters.js';
import { MemoryStreamSlots } from '../adapters/memory/limits/memory-stream-slots.js';
import { MemoryInvalidations } from '../adapters/memory/memory-invalidations.js';
import { memoryStores } from '../adapters/memory/memory-stores.js';
import { RestoredCounters } from '../adapters/resilience/restored-counters.js';
import { ShiftedClock, systemClock } from '../adapters/system/system-clock.js';
import type { Clock, ClockCheck, TestClock } from '../application/ports/clock.js';
import type { FeedItems } from '../application/ports/feed/feed-store.js';
import type { AbuseSignals } from '../application/ports/limits/abuse-signals.js';
import type { Counters } from '../application/ports/limits/counters.js';
import type { StreamSlots } from '../application/ports/limits/stream-slots.js';
import type { Stores } from '../application/ports/stores.js';
import { OWN_CLOCK } from '../domain/clock-offset.js';
import { existing, type Made } from './container/container.js';
import type { Hooks } from './container/hooks.js';
import type { Drivers } from './drivers.js';
import { type Followed, fillAtStart, followMemory } from './following.js';
import type { ProcessParts } from './process.js';

/** The servers in the settings (D43); null for a server that is not set. */
export const servers = (drivers: Drivers) => (parts: ProcessParts, hooks: Hooks) => {
  const { config } = parts;
  const redis = drivers.redis?.connectRedis(config.redisUrls, parts, hooks) ?? null;
  const inMemory = (dependency: string, effect: string) =>
    hooks.reporting(() => ({ dependency, state: 'up', text: `in memory: ${effect}` }));
  if (redis === null) inMemory('counters', 'limits apply to this process only');
  const timelines = redis?.timelines ?? null;
  const database = drivers.postgres?.openDatabase(config.databaseUrl ?? '', timelines, parts, hooks) ?? null;
  if (database === null) inMemory('stores', 'all data is lost when this process ends');
  return { redis: () => redis, database: () => database };
};

type ServerParts = ProcessParts & Made<ReturnType<typeof servers>>;

/** The clock (D5). With `TEST_CLOCK=1` it can be advanced, for all instances on one database at once. */
export const clocks = ({ config, database }: ServerParts) => {
  const own = database === null ? new ShiftedClock() : database.testClock;
  const movable = config.testClock ? own : null;
  return {
    clock: (): Clock => movable?.now ?? systemClock,
    testClock: (): TestClock | null => movable,
    clockCheck: (): ClockCheck => database?.clockCheck ?? { allowance: () => OWN_CLOCK, bound: (now) => now },
  };
};

type ClockParts = ServerParts & Made<typeof clocks>;

/** Abuse signals, slots and invalidations: shared by all instances if a server is set, else local to this process. */
export const shared = (parts: ClockParts) => {
  const { redis, database } = parts;
  const remote = redis?.invalidations ?? database?.invalidations();
  return {
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

type SharedParts = ClockParts & Made<typeof shared>;

/** The stores, in Postgres or in memory. Changes of accounts send invalidations. */
export const stores =
  ({ postgres }: Drivers) =>
  (parts: SharedParts, hooks: Hooks) => {
    const { database } = parts;
    const { stored, follow } =
      database === null || postgres === null
        ? storesInMemory(parts, hooks)
        : storesInPostgres(postgres, database, parts, hooks);
    const { gate: _gate, feed: _feed, feedPages: _feedPages, ...others } = stored;
    hooks.starting(async () => parts.metrics.observe(parts.clock, stored.accountStatistics));
    return {
      ...existing<Omit<Stores, 'gate' | 'feed' | 'feedPages'>>(others),
      accounts: () => invalidatingAccounts(stored.accounts, parts.invalidations),
      accountDeletions: () => invalidatingAccountDeletions(stored.accountDeletions, parts.invalidations),
      inbox: () => invalidatingInbox(stored.inbox, parts.invalidations),
      feedItems: (): FeedItems => stored.feed,
      followed: follow,
    };
  };

type Opened = { readonly stored: Stores; readonly follow: () => Followed };

function storesInPostgres(
  postgres: NonNullable<Drivers['postgres']>,
  database: NonNullable<SharedParts['database']>,
  parts: SharedParts,
  hooks: Hooks,
): Opened {
  const stored = postgres.guardedStores(database, hooks);
  const following = postgres.openFollowing(database, parts, hooks);
  return { stored, follow: () => postgres.followPostgres(stored, database, following, parts) };
}

function storesInMemory(parts: SharedParts, hooks: Hooks): Opened {
  const stored = memoryStores(() => parts.clock());
  const figures = () => ({ ...stored.feed.state, copiedItems: null });
  hooks.starting(async () => parts.metrics.observeCopies(figures, () => null));
  return { stored, follow: () => followMemory(stored, parts) };
}

type WithStores = SharedParts & Made<ReturnType<typeof stores>>;

/** The gate and the feed that requests use. They are current before the service listens. */
export const followed = (parts: WithStores, hooks: Hooks) => {
  hooks.running({
    start: () => parts.followed.follower.start(),
    close: () => parts.followed.follower.close(),
  });
  fillAtStart(() => parts.followed.liveFeed, parts, hooks);
  return {
    gate: () => parts.followed.gate,
    feed: () => parts.followed.feed,
    feedHistory: () => parts.followed.feedHistory,
    liveFeed: () => parts.followed.liveFeed,
    accountChanges: (): Pick<AccountChanges, 'onChange'> => parts.followed.accountChanges,
  };
};

type WithFollowed = WithStores & Made<typeof followed>;

/** Counters: shared by all instances if Redis is set. Restarts lose them, and the usage in a database shows what was used (D35). */
export const counted = (parts: WithFollowed) => ({
  counters: (): Counters => {
    const { clock, redis, database, accountUsage } = parts;
    const local = new MemoryCounters(clock);
    if (redis !== null) return redis.counters(local, accountUsage);
    return database === null ? local : new RestoredCounters(local, local.raise, accountUsage);
  },
});

export type StoreParts = WithFollowed & Made<typeof counted>;
