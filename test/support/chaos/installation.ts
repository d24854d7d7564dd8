import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startTestPostgres, type TestPostgres } from '../servers/postgres.js';
import { startTestRedis, type TestRedis } from '../servers/redis.js';
import { send } from '../service/client.js';
import { type Instance, killed, launchInstance, serviceOf, stopped } from '../service/running-service.js';
import { type SetClock, setClock } from '../service/set-clock.js';
import { type Link, startLink } from './link.js';
import { INSTANCES } from './schedule.js';

/** Quotas of a day, because its window does not end during a run (D34). Only the larger one is leased in advance (D35). */
export const QUOTAS = { free: 40, builder: 1_200 } as const;

const SETTINGS = {
  STREAM_HEARTBEAT_SECONDS: '1',
  STREAMS_PRO: '100000',
  CONNECTIONS_PER_ADDRESS: '0',
  RATE_LIMIT_FREE_MINUTE: '1000000',
  RATE_LIMIT_FREE_DAY: String(QUOTAS.free),
  RATE_LIMIT_BUILDER_MINUTE: '1000000',
  RATE_LIMIT_BUILDER_DAY: String(QUOTAS.builder),
  RATE_LIMIT_PRO_MINUTE: '10000000',
  RATE_LIMIT_PRO_DAY: '10000000',
};

/** Loaded before the service: at SIGUSR2 it collects garbage, and then writes how much memory is in use. */
const MEMORY = `
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
process.on('SIGUSR2', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  collect();
  collect();
  writeFileSync(process.env.MEMORY_FILE, JSON.stringify(process.memoryUsage()));
});
`;

/** One instance with its own links to the servers and its own clock. It keeps them when its process is replaced. */
export type Member = {
  readonly postgres: Link;
  readonly redis: Link;
  readonly clock: SetClock;
  /** The process now, or the last one. */
  instance: Instance;
  /** Counts its processes. */
  incarnation: number;
  /** All processes so far, for their output. */
  readonly past: Instance[];
};

/** Several instances of the service on one durable Postgres and one Redis, all of the run's own. */
export class Installation {
  readonly postgres: TestPostgres;
  readonly redis: TestRedis;
  readonly members: readonly Member[];
  readonly tokens = serviceOf().tokens;

  private constructor(postgres: TestPostgres, redis: TestRedis, members: readonly Member[]) {
    this.postgres = postgres;
    this.redis = redis;
    this.members = members;
  }

  static async start(): Promise<Installation> {
    const [postgres, redis] = await Promise.all([startTestPostgres({ durable: true }), startTestRedis()]);
    const members = await Promise.all(Array.from({ length: INSTANCES }, () => startMember(postgres, redis)));
    return new Installation(postgres, redis, members);
  }

  member(n: number): Member {
    const member = this.members[n % this.members.length];
    if (member === undefined) throw new Error('there is no instance');
    return member;
  }

  /** Nothing listens there while the instance is down. */
  url = (n: number): string => this.member(n).instance.url;
  internalUrl = (n: number): string => this.member(n).instance.internalUrl;

  async kill(n: number): Promise<void> {
    await killed(this.member(n).instance);
  }

  async stopInstance(n: number): Promise<number | null> {
    return stopped(this.member(n).instance.process);
  }

  async startInstance(n: number): Promise<void> {
    const member = this.member(n);
    const instance = await launch(member);
    member.past.push(instance);
    member.incarnation += 1;
    member.instance = instance;
  }

  /** Another member beside the others, which has lived through nothing. */
  async startFresh(): Promise<Member> {
    return startMember(this.postgres, this.redis);
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => stopMember(member)));
    await Promise.all([this.postgres.stop(), this.redis.stop()]);
  }
}

async function startMember({ url }: TestPostgres, redis: TestRedis): Promise<Member> {
  const links = { postgres: await startLink(url), redis: await startLink(redis.url), clock: setClock() };
  const instance = await launch(links);
  return { ...links, instance, incarnation: 1, past: [instance] };
}

export async function stopMember({ instance, postgres, redis, clock }: Member): Promise<void> {
  await stopped(instance.process);
  await Promise.all([postgres.stop(), redis.stop()]);
  clock.remove();
}

const launch = ({
  postgres,
  redis,
  clock,
}: Pick<Member, 'postgres' | 'redis' | 'clock'>): Promise<Instance> =>
  launchInstance({
    ...SETTINGS,
    ...clock.settings,
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    MEMORY_FILE: memoryFile(postgres),
    NODE_OPTIONS: `${clock.settings['NODE_OPTIONS']} --import=data:text/javascript,${encodeURIComponent(MEMORY)}`,
  }).listening;

const folder = mkdtempSync(join(tmpdir(), 'oddswire-chaos-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const memoryFile = ({ url }: Link): string => join(folder, `memory-${new URL(url).port}.json`);

/** The bytes that are in use after a garbage collection, and those of them that each cache takes. */
export type Memory = {
  readonly objects: number;
  readonly buffers: number;
  readonly caches: ReadonlyMap<string, number>;
};

export async function memoryOf({ instance, postgres }: Member): Promise<Memory> {
  const file = memoryFile(postgres);
  rmSync(file, { force: true });
  instance.process.kill('SIGUSR2');
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await setTimeout(10);
  const { heapUsed = 0, external = 0 } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
  const { text } = await send(`${instance.internalUrl}/metrics`, {});
  const samples = text.matchAll(/^oddswire_cached_bytes\{cache="(\w+)"\} (\S+)$/gm);
  const caches = new Map([...samples].map(([, cache = '', bytes]) => [cache, Number(bytes)]));
  return { objects: heapUsed, buffers: external, caches };
}

/** The status in `/readyz`; null without an answer. */
export async function readinessOf({ instance }: Member): Promise<string | null> {
  const reply = await send(`${instance.internalUrl}/readyz`, {}).catch(() => null);
  return reply === null ? null : (reply.json as { readonly status: string }).status;
}
