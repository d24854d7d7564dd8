import { setTimeout } from 'node:timers/promises';
import { LeasingCounters } from '../adapters/caching/limits/leasing-counters.js';
import type { MemoryAbuseSignals } from '../adapters/memory/limits/memory-abuse-signals.js';
import type { MemoryCounters } from '../adapters/memory/limits/memory-counters.js';
import type { MemoryStreamSlots, SlotSettings } from '../adapters/memory/limits/memory-stream-slots.js';
import { RedisConnection } from '../adapters/redis/connection.js';
import { RedisAbuseSignals } from '../adapters/redis/redis-abuse-signals.js';
import { RedisCounters } from '../adapters/redis/redis-counters.js';
import { RedisInvalidations } from '../adapters/redis/redis-invalidations.js';
import { RedisStreamSlots } from '../adapters/redis/redis-stream-slots.js';
import { RedisTimelines } from '../adapters/redis/redis-timelines.js';
import { withDeadline } from '../adapters/resilience/deadline.js';
import { fallbackAbuseSignals } from '../adapters/resilience/fallback-abuse-signals.js';
import { FallbackCounters } from '../adapters/resilience/fallback-counters.js';
import { FallbackStreamSlots } from '../adapters/resilience/fallback-stream-slots.js';
import { MonitoredServers } from '../adapters/resilience/monitored-servers.js';
import { RestoredCounters } from '../adapters/resilience/restored-counters.js';
import type { AbuseSignals } from '../application/ports/limits/abuse-signals.js';
import type { AccountUsage } from '../application/ports/limits/account-usage.js';
import type { Counters } from '../application/ports/limits/counters.js';
import type { StreamSlots } from '../application/ports/limits/stream-slots.js';
import type { Hooks } from './container/hooks.js';
import type { ProcessParts } from './process.js';

/** The start waits this long for Redis, then continues without it. */
const CONNECT_MS = 1_000;
/** If a call takes longer, the instance uses its own counters (D35). */
const COUNTERS_MS = 250;

const TEXT = {
  dependency: 'Redis',
  up: 'all instances share the limits',
  unreachable: 'each instance counts limits and streams separately, and sees changed keys up to 1.5 s late',
};

/** Counters, slots and invalidations that all instances share. Without Redis, the service continues (D35, D39, D51). */
export function connectRedis(urls: readonly string[], parts: ProcessParts, hooks: Hooks) {
  const { starting, closing } = hooks;
  const connection = new RedisConnection(urls);
  const invalidations = new RedisInvalidations(connection);
  const timelines = new RedisTimelines(connection);
  starting(async () => {
    const connected = Promise.all([connection.start(), invalidations.start(), timelines.start()]);
    await Promise.race([connected, setTimeout(CONNECT_MS, undefined, { ref: false })]);
  });
  closing(() => connection.close());
  const inTime = <T>(work: () => Promise<T>) => withDeadline(COUNTERS_MS, TEXT.dependency, work);
  const servers = new MonitoredServers(parts, hooks, TEXT, {
    current: () => connection.servers,
    onMove: (listener) => connection.onMove(listener),
    // The probe has the deadline of the scripts: a server that answers later is of no use to them.
    probe: (server) => inTime(() => connection.write([server])),
  });
  // A deadline for each script, and not for each call in it. Within the breaker: a script waits in no queue of this process, so
  // one without an answer is a failure of Redis.
  const run: RedisConnection['run'] = (...script) =>
    servers.run(connection.serverOf(script[1]), () => inTime(() => connection.run(...script)));
  return {
    invalidations,
    timelines,
    counters: (local: MemoryCounters, usage: AccountUsage): Counters => {
      const shared = new RedisCounters({ run, isCluster: connection.isCluster });
      const fallback = new FallbackCounters(shared, local, shared.raise);
      servers.onChange(() => fallback.doubtCounts());
      const leasing = new LeasingCounters(new RestoredCounters(fallback, shared.raise, usage));
      // Closes before Redis, because it returns leased permits to Redis.
      closing(() => leasing.close());
      return leasing;
    },
    abuseSignals: (local: MemoryAbuseSignals): AbuseSignals =>
      fallbackAbuseSignals(new RedisAbuseSignals({ run }), local),
    streamSlots: (local: MemoryStreamSlots, settings: SlotSettings): StreamSlots => {
      const subscribe: typeof connection.subscribe = (...to) => connection.subscribe(...to);
      const shared = new RedisStreamSlots({ run, isCluster: connection.isCluster, subscribe }, settings);
      void shared.start();
      return new FallbackStreamSlots(shared, local);
    },
  };
}
