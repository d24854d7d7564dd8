import { setTimeout } from 'node:timers/promises';
import { LeasingCounters } from '../adapters/caching/leasing-counters.js';
import { MemoryCounters } from '../adapters/memory/memory-counters.js';
import { MemorySightings } from '../adapters/memory/memory-sightings.js';
import { RedisConnection } from '../adapters/redis/connection.js';
import { RedisCounters } from '../adapters/redis/redis-counters.js';
import { RedisSightings } from '../adapters/redis/redis-sightings.js';
import { RedisSignals } from '../adapters/redis/redis-signals.js';
import { FallbackCounters } from '../adapters/resilience/fallback-counters.js';
import { fallbackSightings } from '../adapters/resilience/fallback-sightings.js';
import { guarded } from '../adapters/resilience/guarded.js';
import { CLOCK, COUNTERS, SIGHTINGS, type Wiring } from './parts.js';
import { wireBreaker } from './wire-breaker.js';
import { wireSignals } from './wire-signals.js';

/** So long the start waits for Redis, and goes on without it. */
const CONNECT_MS = 1_000;
/** Longer, and each instance counts on its own (D35). */
const COUNTERS_MS = 250;

/** Counters and hints that all instances share, in Redis; without them the service goes on (D35, D39). */
export function wireRedis(wiring: Wiring, urls: readonly string[]): void {
  const { part, get, starting, closing } = wiring;
  const redis = new RedisConnection(urls);
  const signals = new RedisSignals(redis);
  starting(async () => {
    const connected = Promise.all([redis.start(), signals.start()]);
    await Promise.race([connected, setTimeout(CONNECT_MS, undefined, { ref: false })]);
  });
  closing(() => redis.close());
  wireSignals(wiring, () => signals);
  const words = {
    part: 'Redis',
    up: 'limits are counted by all instances together',
    away: 'each instance counts limits on its own, and learns of changed keys up to 5 s late',
  };
  const breaker = wireBreaker(wiring, words, () => redis.ping());
  part(COUNTERS, () => {
    const deadlines = { take: COUNTERS_MS, giveBack: COUNTERS_MS };
    const shared = guarded(new RedisCounters(redis), 'Redis', breaker, deadlines);
    const leasing = new LeasingCounters(new FallbackCounters(shared, new MemoryCounters(get(CLOCK))));
    // Before Redis: what is leased goes back there.
    closing(() => leasing.close());
    return leasing;
  });
  part(SIGHTINGS, () => {
    const deadlines = { networks: COUNTERS_MS, refusals: COUNTERS_MS };
    const shared = guarded(new RedisSightings(redis), 'Redis', breaker, deadlines);
    return fallbackSightings(shared, new MemorySightings(get(CLOCK)));
  });
}
