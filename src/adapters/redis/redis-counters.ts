import type { Counters, Taken } from '../../application/ports/limits/counters.js';
import type { Permit } from '../../domain/limits/rate-limit.js';
import { type RedisConnection, script } from './connection.js';

/** Increments all counters or none, atomically (T14). Arguments: `upTo`, then capacity and lifetime of each counter. */
const TAKE = script(`
local counts, granted = {}, tonumber(ARGV[1])
for i, key in ipairs(KEYS) do
  counts[i] = tonumber(redis.call('GET', key) or '0')
  granted = math.max(0, math.min(granted, tonumber(ARGV[2 * i]) - counts[i]))
end
if granted > 0 then
  for i, key in ipairs(KEYS) do
    counts[i] = redis.call('INCRBY', key, granted)
    if redis.call('TTL', key) < 0 then redis.call('EXPIRE', key, ARGV[2 * i + 1]) end
  end
end
return {granted, unpack(counts)}`);

/** Decrements the counters, but not below zero, and ignores expired counters (D34). */
const GIVE_BACK = script(`
for _, key in ipairs(KEYS) do
  local count = tonumber(redis.call('GET', key) or '0')
  if count > 0 then redis.call('DECRBY', key, math.min(count, tonumber(ARGV[1]))) end
end
return 1`);

const PREFIX = 'oddswire:';

/**
 * Counters shared by all instances. The counter names of one call have the same hash tag (in braces), so that a cluster
 * keeps them on one node, where one script can reach them all.
 */
export class RedisCounters implements Counters {
  readonly #redis: RedisConnection;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  async take(permits: readonly Permit[], upTo: number): Promise<Taken> {
    const limits = permits.flatMap(({ capacity, lifetimeSeconds }) => [capacity, lifetimeSeconds]);
    const [granted = 0, ...counts] = (await this.#redis.run(TAKE, names(permits), [
      upTo,
      ...limits,
    ])) as number[];
    return { granted, counts };
  }

  async giveBack(permits: readonly Permit[], n: number): Promise<void> {
    await this.#redis.run(GIVE_BACK, names(permits), [n]);
  }
}

const names = (permits: readonly Permit[]): readonly string[] =>
  permits.map(({ counter }) => `${PREFIX}${counter}`);
