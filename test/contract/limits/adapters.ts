import { LeasingCounters } from '../../../src/adapters/caching/limits/leasing-counters.js';
import { MemoryAccounts } from '../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryAbuseSignals } from '../../../src/adapters/memory/limits/memory-abuse-signals.js';
import { MemoryAccountUsage } from '../../../src/adapters/memory/limits/memory-account-usage.js';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import {
  MemoryStreamSlots,
  type SlotSettings,
} from '../../../src/adapters/memory/limits/memory-stream-slots.js';
import { MemoryUsageHistory } from '../../../src/adapters/memory/limits/memory-usage-history.js';
import { PostgresAccounts } from '../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresAccountUsage } from '../../../src/adapters/postgres/limits/postgres-account-usage.js';
import { PostgresUsageHistory } from '../../../src/adapters/postgres/limits/postgres-usage-history.js';
import { RedisAbuseSignals } from '../../../src/adapters/redis/redis-abuse-signals.js';
import { RedisCounters } from '../../../src/adapters/redis/redis-counters.js';
import { RedisStreamSlots } from '../../../src/adapters/redis/redis-stream-slots.js';
import { script } from '../../../src/adapters/redis/script.js';
import { fallbackAbuseSignals } from '../../../src/adapters/resilience/fallback-abuse-signals.js';
import { FallbackCounters } from '../../../src/adapters/resilience/fallback-counters.js';
import { FallbackStreamSlots } from '../../../src/adapters/resilience/fallback-stream-slots.js';
import { RestoredCounters } from '../../../src/adapters/resilience/restored-counters.js';
import type { Accounts } from '../../../src/application/ports/accounts/accounts.js';
import type { AbuseSignals } from '../../../src/application/ports/limits/abuse-signals.js';
import type { AccountUsage } from '../../../src/application/ports/limits/account-usage.js';
import type { Counters } from '../../../src/application/ports/limits/counters.js';
import type { StreamSlots } from '../../../src/application/ports/limits/stream-slots.js';
import type { UsageHistory } from '../../../src/application/ports/limits/usage-history.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { SLOT_LEASE_SECONDS } from '../../../src/domain/limits/streams.js';
import { type Duration, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { type Adapters, around, guard, inMemory, inPostgres, type Open, overRedis } from '../opening.js';

/** Counters, and whether a counter above zero is still above zero after a number of seconds. */
export type CountersAndLives = {
  readonly counters: Counters;
  readonly outlives: (counter: string, seconds: number) => Promise<boolean>;
};

/** Counters in memory. Only `outlives` moves their clock. */
function countersInMemory(): { readonly counters: MemoryCounters } & CountersAndLives {
  let now = NOON;
  const counters = new MemoryCounters(() => now);
  const outlives = async (counter: string, seconds: number) => {
    now = plus(NOON, seconds * SECOND);
    const { counts } = await counters.take([{ counter, capacity: 0, lifetimeSeconds: 1 }], 0);
    now = NOON;
    return counts[0] !== 0;
  };
  return { counters, outlives };
}

const memory = inMemory<CountersAndLives>(countersInMemory);

/** Shared counters that are unavailable. */
const away = () => Promise.reject(new Unavailable('Redis'));

/** Each instance has a fallback for when the shared counters are unavailable. Here they are available. */
const withFallback = (shared: CountersAndLives): CountersAndLives => ({
  ...shared,
  counters: new FallbackCounters(shared.counters, new MemoryCounters(() => NOON)),
});

/** Instances that take permits in advance: until one gives back unused permits, another may be refused. */
const leasing: Open<CountersAndLives> = async () => {
  const shared = countersInMemory();
  const instances: LeasingCounters[] = [];
  let millis = 0;
  const instance = async () => {
    const counters = new LeasingCounters(shared.counters, () => millis);
    instances.push(counters);
    return { ...shared, counters };
  };
  const caughtUp = async () => {
    millis += 1_000;
    for (const counters of instances) counters.sweep();
  };
  const close = async () => {
    for (const counters of instances) await counters.close();
  };
  return { freshness: 'eventual', caughtUp, instance, close };
};

export const counters: Adapters<
  CountersAndLives,
  | 'memory'
  | 'Redis'
  | 'memory, guarded'
  | 'memory, with a fallback'
  | 'the fallback'
  | 'memory, leasing'
  | 'memory, restored'
> = {
  memory,
  Redis: overRedis(async (connect) => {
    const redis = await connect();
    // Reads the expiry from the server itself, without a script of the adapter.
    const timeToLive = script("return redis.call('PTTL', KEYS[1])");
    const outlives = async (counter: string, seconds: number) =>
      Number(await redis.run(timeToLive, [`oddswire:${counter}`], [])) > seconds * 1_000;
    return { counters: new RedisCounters(redis), outlives };
  }),
  'memory, guarded': around(memory, (shared) => ({ ...shared, counters: guard(shared.counters, 'take') })),
  'memory, with a fallback': around(memory, withFallback),
  // While the shared counters are unavailable, each instance counts alone: so there is one instance.
  'the fallback': inMemory(() => {
    const { counters, outlives } = countersInMemory();
    return { counters: new FallbackCounters({ take: away, giveBack: away }, counters), outlives };
  }),
  'memory, leasing': leasing,
  'memory, restored': inMemory(() => {
    const { counters, outlives } = countersInMemory();
    const usage = { since: away };
    return { counters: new RestoredCounters(counters, counters.raise, usage), outlives };
  }),
};

const abuseSignalsInMemory = inMemory<AbuseSignals>(() => new MemoryAbuseSignals(() => NOON));

export const abuseSignals: Adapters<
  AbuseSignals,
  'memory' | 'Redis' | 'memory, guarded' | 'memory, with a fallback' | 'the fallback'
> = {
  memory: abuseSignalsInMemory,
  Redis: overRedis(async (connect) => new RedisAbuseSignals(await connect())),
  'memory, guarded': around(abuseSignalsInMemory, (shared) => guard(shared, 'networks', 'refusals')),
  'memory, with a fallback': around(abuseSignalsInMemory, (shared) =>
    fallbackAbuseSignals(shared, new MemoryAbuseSignals(() => NOON)),
  ),
  'the fallback': inMemory(() =>
    fallbackAbuseSignals({ networks: away, refusals: away }, new MemoryAbuseSignals(() => NOON)),
  ),
};

/** The slots of streams. */
export type SlotsAndClock = {
  readonly slots: StreamSlots;
  /** Slots of the same store whose leases end soon. */
  readonly shortLeases: StreamSlots;
  /** Moves the clock of the service, for all instances. */
  readonly advance: (by: Duration) => void;
};

const SHORT_LEASE_SECONDS = 0.5;
const monotonicClock = () => performance.now();

/** The clock of the service on all instances. */
let slotClock = NOON;

/** Both kinds of slots from one factory. */
function withClock(make: (settings: SlotSettings) => StreamSlots): SlotsAndClock {
  const slotsOf = (leaseSeconds: number) => make({ clock: () => slotClock, monotonicClock, leaseSeconds });
  const advance = (by: Duration) => {
    slotClock = plus(slotClock, by);
  };
  return { slots: slotsOf(SLOT_LEASE_SECONDS), shortLeases: slotsOf(SHORT_LEASE_SECONDS), advance };
}
const memorySlots = inMemory<SlotsAndClock>(() => withClock((settings) => new MemoryStreamSlots(settings)));

const localSlots = (leaseSeconds: number) =>
  new MemoryStreamSlots({ clock: () => slotClock, monotonicClock, leaseSeconds });

const slotsWithFallback = ({ slots, shortLeases, advance }: SlotsAndClock): SlotsAndClock => ({
  slots: new FallbackStreamSlots(slots, localSlots(SLOT_LEASE_SECONDS)),
  shortLeases: new FallbackStreamSlots(shortLeases, localSlots(SHORT_LEASE_SECONDS)),
  advance,
});

const slotsAway: StreamSlots = {
  ...{ open: away, renew: away, close: away, reduce: away, openByKey: away },
  onLost: () => () => {},
};

const redisSlots = overRedis<SlotsAndClock>(async (connect) => {
  const redis = await connect();
  const starting: Promise<void>[] = [];
  const instance = withClock((settings) => {
    const slots = new RedisStreamSlots(redis, settings);
    starting.push(slots.start());
    return slots;
  });
  await Promise.all(starting);
  return instance;
});

export const streamSlots: Adapters<
  SlotsAndClock,
  'memory' | 'Redis' | 'memory, with a fallback' | 'Redis, with a fallback' | 'the fallback'
> = {
  memory: memorySlots,
  Redis: redisSlots,
  'memory, with a fallback': around(memorySlots, slotsWithFallback),
  'Redis, with a fallback': around(redisSlots, slotsWithFallback),
  // While the shared slots are unavailable, each instance counts alone: so there is one instance.
  'the fallback': inMemory(() =>
    withClock((settings) => new FallbackStreamSlots(slotsAway, new MemoryStreamSlots(settings))),
  ),
};

/** The usage of accounts, and the stores that it adds up. */
export type UsageOfAccounts = {
  readonly usage: AccountUsage;
  readonly accounts: Accounts;
  readonly history: UsageHistory;
};

const usageInMemory = inMemory<UsageOfAccounts>(() => {
  const [accounts, history] = [new MemoryAccounts(), new MemoryUsageHistory()];
  return { usage: new MemoryAccountUsage({ accounts, usage: history }), accounts, history };
});

export const accountUsages: Adapters<UsageOfAccounts, 'memory' | 'Postgres' | 'memory, guarded'> = {
  memory: usageInMemory,
  Postgres: inPostgres((db) => ({
    usage: new PostgresAccountUsage(db),
    accounts: new PostgresAccounts(db),
    history: new PostgresUsageHistory(db),
  })),
  'memory, guarded': around(usageInMemory, (stored) => ({ ...stored, usage: guard(stored.usage, 'since') })),
};

export const usageHistories: Adapters<UsageHistory, 'memory' | 'Postgres'> = {
  memory: inMemory(() => new MemoryUsageHistory()),
  Postgres: inPostgres((db) => new PostgresUsageHistory(db)),
};
