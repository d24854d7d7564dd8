import { LeasingCounters } from '../../../src/adapters/caching/leasing-counters.js';
import { MemoryAbuseSignals } from '../../../src/adapters/memory/limits/memory-abuse-signals.js';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import { MemoryUsageHistory } from '../../../src/adapters/memory/limits/memory-usage-history.js';
import { PostgresUsageHistory } from '../../../src/adapters/postgres/limits/postgres-usage-history.js';
import { script } from '../../../src/adapters/redis/connection.js';
import { RedisAbuseSignals } from '../../../src/adapters/redis/redis-abuse-signals.js';
import { RedisCounters } from '../../../src/adapters/redis/redis-counters.js';
import { fallbackAbuseSignals } from '../../../src/adapters/resilience/fallback-abuse-signals.js';
import { FallbackCounters } from '../../../src/adapters/resilience/fallback-counters.js';
import type { AbuseSignals } from '../../../src/application/ports/limits/abuse-signals.js';
import type { Counters } from '../../../src/application/ports/limits/counters.js';
import type { UsageHistory } from '../../../src/application/ports/limits/usage-history.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { plus, SECOND } from '../../../src/domain/moment.js';
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
  'memory' | 'Redis' | 'memory, guarded' | 'memory, with a fallback' | 'the fallback' | 'memory, leasing'
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

export const usageHistories: Adapters<UsageHistory, 'memory' | 'Postgres'> = {
  memory: inMemory(() => new MemoryUsageHistory()),
  Postgres: inPostgres((db) => new PostgresUsageHistory(db)),
};
