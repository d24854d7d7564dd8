import { expect } from 'chai';
import { MemoryStreamSlots } from '../../../src/adapters/memory/limits/memory-stream-slots.js';
import { RedisConnection } from '../../../src/adapters/redis/connection.js';
import { RedisStreamSlots } from '../../../src/adapters/redis/redis-stream-slots.js';
import { Breaker } from '../../../src/adapters/resilience/breaker.js';
import { FallbackStreamSlots } from '../../../src/adapters/resilience/fallback-stream-slots.js';
import { guarded } from '../../../src/adapters/resilience/guarded.js';
import type { SlotRequest } from '../../../src/application/ports/limits/stream-slots.js';
import { SLOT_LEASE_SECONDS } from '../../../src/domain/limits/streams.js';
import { NOON } from '../../support/objects/builders.js';
import { aSubscription, heldBy, requestOf } from '../../support/objects/streams.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { until } from '../../support/until.js';

const SETTINGS = {
  clock: () => NOON,
  monotonicClock: () => performance.now(),
  leaseSeconds: SLOT_LEASE_SECONDS,
};

/** Slots behind a breaker and with a fallback, as the service uses them. */
class Instance {
  readonly #connection: RedisConnection;
  readonly breaker: Breaker;
  readonly slots: FallbackStreamSlots;
  readonly #shared: RedisStreamSlots;
  #open: readonly SlotRequest[] = [];

  constructor(url: string) {
    const connection = new RedisConnection([url]);
    this.#connection = connection;
    this.breaker = new Breaker({ what: 'Redis', probe: () => connection.ping() });
    const { run } = guarded<Pick<RedisConnection, 'run'>>(connection, 'Redis', this.breaker, { run: 250 });
    const subscribe: typeof connection.subscribe = (...to) => connection.subscribe(...to);
    this.#shared = new RedisStreamSlots({ run, isCluster: false, subscribe }, SETTINGS);
    this.slots = new FallbackStreamSlots(this.#shared, new MemoryStreamSlots(SETTINGS));
  }

  async start(): Promise<void> {
    await Promise.all([this.#connection.start(), this.#shared.start()]);
    await this.breaker.start();
  }

  async close(): Promise<void> {
    this.breaker.stop();
    await this.#connection.close();
  }

  /** Whether the stream is granted, and the number of open streams that the answer states. */
  async open(request: SlotRequest): Promise<readonly [granted: boolean, open: number]> {
    const { granted, open } = await this.slots.open(request);
    if (granted) this.#open = [...this.#open, request];
    return [granted, open];
  }

  /** The streams that hold no slot any more. */
  renew() {
    return this.slots.renew(this.#open.map((request) => heldBy(request)));
  }
}

describe('Slots of streams, while Redis is unavailable,', function () {
  this.timeout(30_000);
  let redis: TestRedis;
  let left: Instance;
  let right: Instance;
  beforeEach(async () => {
    redis = await startTestRedis();
    [left, right] = [new Instance(redis.url), new Instance(redis.url)];
    await Promise.all([left.start(), right.start()]);
  });
  afterEach(async () => {
    await Promise.all([left.close(), right.close()]);
    await redis.stop();
  });

  const bothAre = (state: 'open' | 'closed') =>
    until([state, state], () => [left.breaker.state, right.breaker.state]);
  const renewBoth = async () => [...(await left.renew()), ...(await right.renew())];

  const faults = [
    { fault: 'frozen', begin: () => redis.freeze(), end: () => redis.thaw() },
    {
      fault: 'killed, and restarted without its data',
      begin: () => redis.kill(),
      end: () => redis.restart(),
    },
  ];
  for (const { fault, begin, end } of faults) {
    it(`are counted by each instance, and by all together when it answers again: ${fault} (D51)`, async () => {
      const of = aSubscription({ allowed: 3 });
      expect(await left.open(requestOf(of))).to.deep.equal([true, 1]);
      expect(await right.open(requestOf(of))).to.deep.equal([true, 2]);
      expect(await right.open(requestOf(of))).to.deep.equal([true, 3]);
      await begin();
      expect(await left.open(requestOf(of))).to.deep.equal([true, 2]);
      expect(await renewBoth()).to.deep.equal([]);
      await bothAre('open');
      expect(await left.open(requestOf(of))).to.deep.equal([true, 3]);
      expect(await left.open(requestOf(of))).to.deep.equal([false, 3]);
      expect(await right.open(requestOf(of))).to.deep.equal([true, 3]);
      expect(await renewBoth()).to.deep.equal([]);
      await end();
      await bothAre('closed');
      expect(await renewBoth()).to.deep.equal([]);
      expect(await left.open(requestOf(of))).to.deep.equal([false, 6]);
      expect(await renewBoth()).to.deep.equal([]);
    });
  }

  it('are lost by message again after an outage', async () => {
    await redis.kill();
    await bothAre('open');
    await redis.restart();
    await bothAre('closed');
    const heard: string[] = [];
    left.slots.onLost((_, why) => heard.push(why));
    await until(true, async () => {
      const of = aSubscription({ allowed: 1 });
      await left.open(requestOf(of));
      await right.open(requestOf(of, { isResumed: true }));
      return heard.length > 0;
    });
    expect(new Set(heard)).to.deep.equal(new Set(['replaced']));
  });
});
