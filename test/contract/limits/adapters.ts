import { LeasingCounters } from '../../../src/adapters/caching/leasing-counters.js';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import { MemorySightings } from '../../../src/adapters/memory/limits/memory-sightings.js';
import { MemoryUsageHistory } from '../../../src/adapters/memory/limits/memory-usage-history.js';
import { PostgresUsageHistory } from '../../../src/adapters/postgres/limits/postgres-usage-history.js';
import { script } from '../../../src/adapters/redis/connection.js';
import { RedisCounters } from '../../../src/adapters/redis/redis-counters.js';
import { RedisSightings } from '../../../src/adapters/redis/redis-sightings.js';
import { FallbackCounters } from '../../../src/adapters/resilience/fallback-counters.js';
import { fallbackSightings } from '../../../src/adapters/resilience/fallback-sightings.js';
import type { Counters } from '../../../src/application/ports/limits/counters.js';
import type { Sightings } from '../../../src/application/ports/limits/sightings.js';
import type { UsageHistory } from '../../../src/application/ports/limits/usage-history.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { type Adapters, around, guard, inMemory, inPostgres, type Open, overRedis } from '../opening.js';

/** Counters, and whether one that stands above zero still does so many seconds from now. */
export type CountersAndLives = {
  readonly counters: Counters;
  readonly outlives: (counter: string, seconds: number) => Promise<boolean>;
};

/** Counters in memory, whose clock only `outlives` moves. */
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

/** Shared counters that are away. */
const away = () => Promise.reject(new Unavailable('Redis'));

/** Each instance has counters of its own for when the shared ones are away. They are not. */
const withFallback = (shared: CountersAndLives): CountersAndLives => ({
  ...shared,
  counters: new FallbackCounters(shared.counters, new MemoryCounters(() => NOON)),
});

/** Several instances that take permits in advance: another may be refused a permit until unused ones were given back. */
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
    for (const counters of instances) counters.look();
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
    // No script of the adapter's: what the server itself says of its expiry.
    const timeToLive = script("return redis.call('PTTL', KEYS[1])");
    const outlives = async (counter: string, seconds: number) =>
      Number(await redis.run(timeToLive, [`oddswire:${counter}`], [])) > seconds * 1_000;
    return { counters: new RedisCounters(redis), outlives };
  }),
  'memory, guarded': around(memory, (shared) => ({ ...shared, counters: guard(shared.counters, 'take') })),
  'memory, with a fallback': around(memory, withFallback),
  // While the shared counters are away each instance counts alone: so there is one instance.
  'the fallback': inMemory(() => {
    const { counters, outlives } = countersInMemory();
    return { counters: new FallbackCounters({ take: away, giveBack: away }, counters), outlives };
  }),
  'memory, leasing': leasing,
};

const sightingsInMemory = inMemory<Sightings>(() => new MemorySightings(() => NOON));

export const sightings: Adapters<
  Sightings,
  'memory' | 'Redis' | 'memory, guarded' | 'memory, with a fallback' | 'the fallback'
> = {
  memory: sightingsInMemory,
  Redis: overRedis(async (connect) => new RedisSightings(await connect())),
  'memory, guarded': around(sightingsInMemory, (shared) => guard(shared, 'networks', 'refusals')),
  'memory, with a fallback': around(sightingsInMemory, (shared) =>
    fallbackSightings(shared, new MemorySightings(() => NOON)),
  ),
  'the fallback': inMemory(() =>
    fallbackSightings({ networks: away, refusals: away }, new MemorySightings(() => NOON)),
  ),
};

export const usageHistories: Adapters<UsageHistory, 'memory' | 'Postgres'> = {
  memory: inMemory(() => new MemoryUsageHistory()),
  Postgres: inPostgres((db) => new PostgresUsageHistory(db)),
};
