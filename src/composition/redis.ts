import { setTimeout } from 'node:timers/promises';
import { LeasingCounters } from '../adapters/caching/leasing-counters.js';
import type { MemoryCounters } from '../adapters/memory/limits/memory-counters.js';
import type { MemorySightings } from '../adapters/memory/limits/memory-sightings.js';
import { RedisConnection } from '../adapters/redis/connection.js';
import { RedisCounters } from '../adapters/redis/redis-counters.js';
import { RedisSightings } from '../adapters/redis/redis-sightings.js';
import { RedisSignals } from '../adapters/redis/redis-signals.js';
import { FallbackCounters } from '../adapters/resilience/fallback-counters.js';
import { fallbackSightings } from '../adapters/resilience/fallback-sightings.js';
import { guarded } from '../adapters/resilience/guarded.js';
import { watchedBreaker } from '../adapters/resilience/watched-server.js';
import type { Counters } from '../application/ports/limits/counters.js';
import type { Sightings } from '../application/ports/limits/sightings.js';
import type { Hooks } from './hooks.js';
import type { ProcessParts } from './process.js';

/** So long the start waits for Redis, and goes on without it. */
const CONNECT_MS = 1_000;
/** Longer, and each instance counts on its own (D35). */
const COUNTERS_MS = 250;

const WORDS = {
  part: 'Redis',
  up: 'limits are counted by all instances together',
  away: 'each instance counts limits on its own, and learns of changed keys up to 5 s late',
};

/** Counters and hints that all instances share, in Redis; without them the service goes on (D35, D39). */
export function connectRedis(urls: readonly string[], parts: ProcessParts, hooks: Hooks) {
  const { starting, closing } = hooks;
  const connection = new RedisConnection(urls);
  const signals = new RedisSignals(connection);
  starting(async () => {
    const connected = Promise.all([connection.start(), signals.start()]);
    await Promise.race([connected, setTimeout(CONNECT_MS, undefined, { ref: false })]);
  });
  closing(() => connection.close());
  const breaker = watchedBreaker(parts, hooks, WORDS, () => connection.ping());
  return {
    signals,
    counters: (alone: MemoryCounters): Counters => {
      const deadlines = { take: COUNTERS_MS, giveBack: COUNTERS_MS };
      const shared = guarded(new RedisCounters(connection), 'Redis', breaker, deadlines);
      const leasing = new LeasingCounters(new FallbackCounters(shared, alone));
      // Before Redis: what is leased goes back there.
      closing(() => leasing.close());
      return leasing;
    },
    sightings: (alone: MemorySightings): Sightings => {
      const deadlines = { networks: COUNTERS_MS, refusals: COUNTERS_MS };
      const shared = guarded(new RedisSightings(connection), 'Redis', breaker, deadlines);
      return fallbackSightings(shared, alone);
    },
  };
}
