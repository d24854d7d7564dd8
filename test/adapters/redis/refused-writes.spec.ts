import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createClient } from 'redis';
import { RedisConnection } from '../../../src/adapters/redis/connection.js';
import { RedisAbuseSignals } from '../../../src/adapters/redis/redis-abuse-signals.js';
import { RedisCounters } from '../../../src/adapters/redis/redis-counters.js';
import { RedisStreamSlots } from '../../../src/adapters/redis/redis-stream-slots.js';
import type { StreamId } from '../../../src/application/ports/limits/stream-slots.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import { keyId, NOON } from '../../support/objects/builders.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { type SilentProxy, startSilentProxy } from '../../support/servers/silent-proxy.js';

const permit = () => ({ counter: `{${randomUUID()}}`, capacity: 5, lifetimeSeconds: 60 });

/** The text of the cause of `Unavailable`; `done` without a fault. */
const causeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (fault: unknown) =>
      fault instanceof Unavailable && fault.cause instanceof Error ? fault.cause.message : String(fault),
  );

const REFUSALS = [
  { title: 'is full', on: ['maxmemory', '1'], off: ['maxmemory', '0'], says: 'OOM' },
  {
    title: 'has too few replicas',
    on: ['min-replicas-to-write', '1'],
    off: ['min-replicas-to-write', '0'],
    says: 'NOREPLICAS',
  },
] as const;

describe('A Redis that answers and takes no writes', function () {
  this.timeout(30_000);
  let redis: TestRedis;
  let peer: ReturnType<typeof createClient>;
  let connection: RedisConnection;
  beforeEach(async () => {
    redis = await startTestRedis();
    peer = createClient({ url: redis.url });
    peer.on('error', () => {}); // The server is stopped at the end.
    await peer.connect();
    connection = new RedisConnection([redis.url]);
    await connection.start();
  });
  afterEach(async () => {
    peer.destroy();
    await connection.close();
    await redis.stop();
  });

  /** Every kind of call that writes, with what the breaker sees of it. */
  async function writes(): Promise<Readonly<Record<string, string>>> {
    const seen: string[] = [];
    const observed = {
      isCluster: false,
      subscribe: () => Promise.resolve(),
      run: async (...args: Parameters<RedisConnection['run']>) => {
        const call = connection.run(...args);
        seen.push(await causeOf(call));
        return call;
      },
    };
    const slots = new RedisStreamSlots(observed, {
      clock: () => NOON,
      monotonicClock: () => performance.now(),
      leaseSeconds: 10,
    });
    const signals = new RedisAbuseSignals(observed);
    const window = { counters: [`{${randomUUID()}}`], lifetimeSeconds: 60 } as const;
    const subscription = randomUUID() as SubscriptionId;
    const slot = { subscription, stream: 'one' as StreamId, key: keyId('k'), allowed: 1, isResumed: false };
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      'counters, all permits': () => new RedisCounters(observed).take([permit(), permit()], 1),
      slots: () => slots.open(slot),
      networks: () => signals.networks(window, ['a']),
      refusals: () => signals.refusals({ ...window, counters: [`{${randomUUID()}}`] }, 1),
    };
    const answers: Record<string, string> = {};
    for (const [name, call] of Object.entries(calls)) {
      await call().catch((fault: unknown) => expect(fault).to.be.instanceOf(Unavailable));
      answers[name] = seen.splice(0).join().split(' ')[0] ?? '';
    }
    return { ...answers, probe: (await causeOf(connection.write())).split(' ')[0] ?? '' };
  }

  for (const { title, on, off, says } of REFUSALS)
    it(`fails every script that writes, and the probe, while it ${title}`, async () => {
      expect(new Set(Object.values(await writes()))).to.deep.equal(new Set(['done']));
      await peer.configSet(...on);
      expect(new Set(Object.values(await writes()))).to.deep.equal(new Set([says]));
      expect(await causeOf(connection.ping())).to.equal('done');
      await peer.configSet(...off);
      expect(new Set(Object.values(await writes()))).to.deep.equal(new Set(['done']));
    });

  it('is left for the server to which its name leads by now, if it became a replica', async () => {
    const other = await startTestRedis();
    const proxy: SilentProxy = await startSilentProxy(redis.url);
    const moved = new RedisConnection([proxy.url]);
    try {
      await moved.start();
      await moved.write();
      const messages: string[] = [];
      await moved.subscribe('oddswire:test', (message) => messages.push(message));
      proxy.move(other.url);
      await peer.sendCommand(['REPLICAOF', '127.0.0.1', '1']);
      expect(await causeOf(moved.write())).to.match(/^READONLY/);
      while ((await causeOf(moved.write())) !== 'done') await new Promise((done) => setTimeout(done, 20));
      const counters = new RedisCounters(moved);
      const one = permit();
      expect(await counters.take([one], 1)).to.deep.include({ granted: 1, counts: [1] });
      const onOther = createClient({ url: other.url });
      await onOther.connect();
      expect(await onOther.get(`oddswire:${one.counter}`)).to.equal('1');
      while (messages.length === 0) {
        await onOther.publish('oddswire:test', 'received');
        await new Promise((done) => setTimeout(done, 20));
      }
      onOther.destroy();
    } finally {
      await moved.close();
      await proxy.stop();
      await other.stop();
    }
  });
});

describe('A Redis that refuses the connection', function () {
  this.timeout(30_000);
  let redis: TestRedis;
  before(async () => {
    redis = await startTestRedis(['--requirepass', 'right']);
  });
  after(() => redis.stop());

  const rows = [
    { title: 'a wrong password', user: ':wrong@', path: '', says: /^WRONGPASS/ },
    { title: 'no password', user: '', path: '', says: /^NOAUTH/ },
    { title: 'a database that does not exist', user: ':right@', path: '/99', says: /^ERR DB index/ },
  ];
  for (const { title, user, path, says } of rows)
    it(`because of ${title} says so in each call`, async () => {
      const connection = new RedisConnection([redis.url.replace('redis://', `redis://${user}`) + path]);
      void connection.start();
      while (!says.test(await causeOf(connection.write()))) await new Promise((done) => setTimeout(done, 20));
      await connection.close();
    });
});
