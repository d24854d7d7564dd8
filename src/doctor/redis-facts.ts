import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { RedisConnection } from '../adapters/redis/connection.js';
import { script } from '../adapters/redis/script.js';
import { MILLISECOND, SECOND } from '../domain/moment.js';
import type { ClockComparison } from './rules/clock-difference.js';
import type { MemoryPolicy } from './rules/eviction-policy.js';
import { compareClock } from './server-clock.js';

const CONNECTED_WITHIN_MS = 2_000;
const DELIVERED_WITHIN_MS = 1_000;

const TIME = script("return redis.call('TIME')");
/** Not every role and not every hosted server allows INFO. */
const MEMORY = script(`
local info = redis.pcall('INFO', 'memory')
return type(info) == 'string' and info or ''`);

export type OpenRedis = {
  readonly isCluster: boolean;
  /** The addresses of the servers that have keys. */
  readonly servers: readonly string[];
  /** Runs a script of the kind that counts requests on every node. */
  readonly write: () => Promise<void>;
  /** Whether a message arrives at a subscriber. */
  readonly isDelivered: () => Promise<boolean>;
  readonly memory: () => Promise<readonly MemoryPolicy[]>;
  /** The clock of the node that differs most. */
  readonly clock: () => Promise<ClockComparison>;
  readonly close: () => Promise<void>;
};

/** Throws the last error of the connection if it is not open in time, or if a node does not answer. */
export async function openRedis(urls: readonly string[]): Promise<OpenRedis> {
  const redis = new RedisConnection(urls);
  const late = () => setTimeout(CONNECTED_WITHIN_MS, undefined, { ref: false });
  try {
    await Promise.race([redis.start(), late()]);
    await Promise.race([redis.ping(), late().then(noAnswer)]);
  } catch (fault) {
    await redis.close();
    throw fault;
  }
  const keys = redis.servers.map(({ key }) => key);
  return {
    isCluster: redis.isCluster,
    servers: redis.servers.map(({ address }) => address),
    write: () => redis.write(),
    isDelivered: () => isDelivered(redis),
    memory: async () => {
      const texts = await Promise.all(keys.map((key) => redis.run(MEMORY, [key], [])));
      return texts.map((text) => memoryPolicy(String(text)));
    },
    clock: async () => worst(await Promise.all(keys.map((key) => compareClock(() => timeOf(redis, key))))),
    close: () => redis.close(),
  };
}

function noAnswer(): never {
  throw new Error(`no answer from every node within ${CONNECTED_WITHIN_MS / 1_000} s`);
}

async function isDelivered(redis: RedisConnection): Promise<boolean> {
  const channel = `oddswire:doctor:${randomUUID()}`;
  let deliver = () => {};
  const delivered = new Promise<boolean>((done) => {
    deliver = () => done(true);
  });
  const sent = redis.subscribe(channel, deliver).then(() => redis.publish(channel, ''));
  const late = setTimeout(DELIVERED_WITHIN_MS, false, { ref: false });
  await Promise.race([sent, late]);
  return Promise.race([delivered, late]);
}

function memoryPolicy(info: string): MemoryPolicy {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const maxBytes = Number(field('maxmemory') ?? Number.NaN);
  return { policy: field('maxmemory_policy') ?? null, maxBytes: Number.isNaN(maxBytes) ? null : maxBytes };
}

async function timeOf(redis: RedisConnection, key: string): Promise<number> {
  const [seconds, micros] = (await redis.run(TIME, [key], [])) as readonly unknown[];
  return (Number(seconds) * SECOND + Number(micros)) / MILLISECOND;
}

const worst = (clocks: readonly ClockComparison[]): ClockComparison =>
  clocks.reduce((a, b) => (Math.abs(b.ahead) > Math.abs(a.ahead) ? b : a));
