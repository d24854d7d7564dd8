import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { RedisConnection } from '../../../src/adapters/redis/connection.js';
import { RedisCounters } from '../../../src/adapters/redis/redis-counters.js';
import { RedisInvalidations } from '../../../src/adapters/redis/redis-invalidations.js';
import { script } from '../../../src/adapters/redis/script.js';
import type { Invalidation } from '../../../src/application/ports/invalidations.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { permitOf, policiesOf, windows } from '../../../src/domain/limits/rate-limit.js';
import { NOON } from '../../support/objects/builders.js';
import { receiptOf } from '../../support/objects/receipts.js';
import { startTestRedis, startTestRedisCluster, type TestRedis } from '../../support/servers/redis.js';

const TTL = script("return redis.call('PTTL', KEYS[1])");
const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'answered',
    (fault: unknown) => fault,
  );

describe('Redis', function () {
  this.timeout(30_000);
  let redis: TestRedis;
  let connection: RedisConnection;
  let counters: RedisCounters;
  before(async () => {
    redis = await startTestRedis();
    connection = new RedisConnection([redis.url]);
    counters = new RedisCounters(connection);
    await connection.start();
  });
  after(async () => {
    await connection.close();
    await redis.stop();
  });

  const permit = (lifetimeSeconds = 60) => ({ counter: `{${randomUUID()}}`, capacity: 5, lifetimeSeconds });
  const untilAnswered = async (call: () => Promise<unknown>) => {
    while ((await faultOf(call())) instanceof Unavailable) await new Promise((done) => setTimeout(done, 20));
  };

  it('expires a counter after its lifetime, measured from its first permit', async () => {
    const one = permit(100);
    const left = async () => Number(await connection.run(TTL, [`oddswire:${one.counter}`], []));
    await counters.take([one], 1);
    expect(await left()).to.be.within(90_000, 100_000);
    await counters.take([{ ...one, lifetimeSeconds: 1_000 }], 1);
    await counters.giveBack(receiptOf([one]), 2);
    expect(await left()).to.be.within(80_000, 100_000);
  });

  it('states whether a call has created the counter of the longest window', async () => {
    const [minute, day] = [permit(), permit()];
    const isNew = async () => (await counters.take([minute, day], 1)).isNew === true;
    expect([await isNew(), await isNew()]).to.deep.equal([true, false]);
    await counters.giveBack(receiptOf([minute, day]), 2);
    expect(await isNew()).to.equal(false);
  });

  it('raises a counter, and never lowers it', async () => {
    const [one, fresh] = [permit(100), permit(100)];
    await counters.take([one], 3);
    await counters.raise([one, fresh], [2, 4]);
    expect((await counters.take([one], 0)).counts).to.deep.equal([3]);
    expect((await counters.take([fresh], 0)).counts).to.deep.equal([4]);
    expect(await connection.run(TTL, [`oddswire:${fresh.counter}`], [])).to.be.within(90_000, 100_000);
  });

  it('creates no counter for a read or a refusal', async () => {
    const one = permit();
    await counters.take([one], 0);
    await counters.take([{ ...one, capacity: 0 }], 1);
    expect(await connection.run(TTL, [`oddswire:${one.counter}`], [])).to.equal(-2);
  });

  it('leaves no counter after a refusal or a fault of a later one', async () => {
    const [fresh, full, text] = [permit(), permit(), permit()];
    await counters.take([full], 5);
    expect(await counters.take([fresh, full], 1)).to.deep.include({ granted: 0, counts: [0, 5] });
    await connection.run(
      script("return redis.call('set', KEYS[1], 'text')"),
      [`oddswire:${text.counter}`],
      [],
    );
    expect(await faultOf(counters.take([fresh, text], 1))).to.be.instanceOf(Unavailable);
    expect(await connection.run(TTL, [`oddswire:${fresh.counter}`], [])).to.equal(-2);
    await counters.take([fresh], 2);
    expect(await counters.take([fresh, full], 1)).to.deep.include({ granted: 0, counts: [2, 5] });
    expect(await faultOf(counters.take([fresh, text], 1))).to.be.instanceOf(Unavailable);
    expect((await counters.take([fresh], 0)).counts).to.deep.equal([2]);
  });

  it('fails only the calls with a counter that is no number, and changes nothing by them', async () => {
    const [full, text, other] = [permit(), permit(), permit()];
    await counters.take([full], 5);
    await connection.run(
      script("return redis.call('set', KEYS[1], 'text')"),
      [`oddswire:${text.counter}`],
      [],
    );
    const broken = [
      counters.take([text], 0),
      counters.take([full, text], 1),
      counters.giveBack(receiptOf([full, text]), 1),
    ].map(faultOf);
    expect(await counters.take([other], 1)).to.deep.include({ granted: 1, counts: [1] });
    for (const fault of await Promise.all(broken)) expect(fault).to.be.instanceOf(Unavailable);
    expect((await counters.take([full], 0)).counts).to.deep.equal([5]);
  });

  it('works again after a restart that emptied its script cache', async () => {
    await counters.take([permit()], 1);
    await redis.kill();
    await untilUnavailable();
    await redis.restart();
    await untilAnswered(() => connection.ping());
    expect(await counters.take([permit()], 1)).to.deep.include({ granted: 1, counts: [1] });
  });

  it('causes `Unavailable` at once while it is down', async () => {
    await redis.kill();
    await untilUnavailable();
    expect(await faultOf(counters.take([permit()], 1))).to.be.instanceOf(Unavailable);
    await redis.restart();
    await untilAnswered(() => connection.ping());
  });

  it('carries invalidations again after an outage, each once', async () => {
    const [one, other] = [new RedisConnection([redis.url]), new RedisConnection([redis.url])];
    const [left, right] = [new RedisInvalidations(one), new RedisInvalidations(other)];
    await Promise.all([one.start(), other.start(), left.start(), right.start()]);
    const heard: { left: Invalidation[]; right: Invalidation[] } = { left: [], right: [] };
    left.listen((invalidation) => heard.left.push(invalidation));
    right.listen((invalidation) => heard.right.push(invalidation));
    await redis.kill();
    await left.send({ changed: 'feed' });
    expect(heard).to.deep.equal({ left: [{ changed: 'feed' }], right: [] });
    await redis.restart();
    let sent = 1;
    while (heard.right.length === 0) {
      await left.send({ changed: 'feed' });
      sent += 1;
      await new Promise((done) => setTimeout(done, 20));
    }
    expect(heard.left).to.have.length(sent);
    await Promise.all([one.close(), other.close()]);
  });

  it('is connected as soon as it starts, even if it was down at first', async () => {
    await redis.kill();
    const late = new RedisConnection([redis.url]);
    const invalidations = new RedisInvalidations(late);
    const starting = Promise.all([late.start(), invalidations.start()]);
    expect(await faultOf(late.ping())).to.be.instanceOf(Unavailable);
    await redis.restart();
    await starting;
    await late.ping();
    const heard = new Promise<Invalidation>((done) => void invalidations.listen(done));
    for (const nonsense of ['', 'nonsense', 'null', '{"from":"x","signal":{"changed":"account"}}']) {
      await late.publish('oddswire:signals', nonsense);
    }
    await late.publish('oddswire:signals', JSON.stringify({ from: 'another', signal: { changed: 'feed' } }));
    expect(await heard).to.deep.equal({ changed: 'feed' });
    await late.close();
    await untilAnswered(() => connection.ping());
  });

  async function untilUnavailable(): Promise<void> {
    while (!((await faultOf(connection.ping())) instanceof Unavailable));
  }
});

describe('A Redis Cluster', function () {
  this.timeout(30_000);
  it('keeps the counters of a subject on one node, spreads subjects over nodes, and carries invalidations', async () => {
    const cluster = await startTestRedisCluster();
    const connection = new RedisConnection(cluster.urls);
    const other = new RedisConnection(cluster.urls);
    const [counters, invalidations, listening] = [
      new RedisCounters(connection),
      new RedisInvalidations(connection),
      new RedisInvalidations(other),
    ];
    await Promise.all([connection.start(), other.start(), listening.start()]);
    const heard = new Promise<Invalidation>((done) => void listening.listen(done));
    for (let i = 0; i < 50; i += 1) {
      const permits = windows(`sub_${i}`, policiesOf(PLANS.free), NOON).map(permitOf);
      expect(await counters.take(permits, 1)).to.deep.include({ granted: 1, counts: [1, 1] });
      await counters.giveBack(receiptOf(permits), 1);
      expect(await counters.take(permits, 0)).to.deep.include({ granted: 0, counts: [0, 0] });
    }
    const minute = { counter: '{one}:minute', capacity: 60, lifetimeSeconds: 60 };
    const answers = await Promise.all(Array.from({ length: 200 }, () => counters.take([minute], 1)));
    expect(answers.filter(({ granted }) => granted === 1)).to.have.length(60);
    await invalidations.send({ changed: 'feed' });
    expect(await heard).to.deep.equal({ changed: 'feed' });
    await Promise.all([connection.close(), other.close()]);
    await cluster.stop();
  });

  it('is awaited if none of its nodes answers', async () => {
    const connection = new RedisConnection(['redis://127.0.0.1:1', 'redis://127.0.0.1:2']);
    void connection.start();
    expect(await faultOf(connection.ping())).to.be.instanceOf(Unavailable);
    await connection.close();
  });
});
