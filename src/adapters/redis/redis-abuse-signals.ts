import type { AbuseSignals } from '../../application/ports/limits/abuse-signals.js';
import type { MonitoredWindow } from '../../domain/limits/abuse.js';
import type { RedisConnection } from './connection.js';
import { script } from './script.js';

/** One HyperLogLog per minute, at most 12 KB each. Returns the approximate distinct count over all of them. */
const NETWORKS = script(`
redis.call('PFADD', KEYS[1], unpack(ARGV, 2))
redis.call('EXPIRE', KEYS[1], ARGV[1])
return redis.call('PFCOUNT', unpack(KEYS))`);

const REFUSALS = script(`
redis.call('INCRBY', KEYS[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[1])
local sum = 0
for _, key in ipairs(KEYS) do sum = sum + tonumber(redis.call('GET', key) or '0') end
return sum`);

const PREFIX = 'oddswire:';

/** Abuse signals shared by all instances. */
export class RedisAbuseSignals implements AbuseSignals {
  readonly #redis: Pick<RedisConnection, 'run'>;

  constructor(redis: Pick<RedisConnection, 'run'>) {
    this.#redis = redis;
  }

  async networks(window: MonitoredWindow, names: readonly string[]): Promise<number> {
    return Number(await this.#redis.run(NETWORKS, keysOf(window), [window.lifetimeSeconds, ...names]));
  }

  async refusals(window: MonitoredWindow, count: number): Promise<number> {
    return Number(await this.#redis.run(REFUSALS, keysOf(window), [window.lifetimeSeconds, count]));
  }
}

const keysOf = ({ counters }: MonitoredWindow): readonly string[] =>
  counters.map((name) => `${PREFIX}${name}`);
