import { expect } from 'chai';
import sinon from 'sinon';
import { RedisConnection } from '../../../src/adapters/redis/connection.js';
import { RedisStreamSlots } from '../../../src/adapters/redis/redis-stream-slots.js';
import { script } from '../../../src/adapters/redis/script.js';
import type {
  HeldSlot,
  SlotRequest,
  StreamSlots,
} from '../../../src/application/ports/limits/stream-slots.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { SLOT_LEASE_SECONDS } from '../../../src/domain/limits/streams.js';
import { NOON } from '../../support/objects/builders.js';
import { aSubscription, heldBy, requestOf } from '../../support/objects/streams.js';
import { startTestRedis, startTestRedisCluster, type TestRedis } from '../../support/servers/redis.js';
import { until } from '../../support/until.js';

const FLUSH = script("redis.call('FLUSHALL')");
const DAMAGE = script("redis.call('DEL', KEYS[1]) redis.call('LPUSH', KEYS[1], 'a list')");

const slotsOn = (
  redis: RedisConnection,
  { leaseSeconds = SLOT_LEASE_SECONDS, monotonicClock = () => performance.now() } = {},
) => new RedisStreamSlots(redis, { clock: () => NOON, monotonicClock, leaseSeconds });

const requests = (count: number, make: () => SlotRequest) => Array.from({ length: count }, make);
const openAll = (slots: StreamSlots, opened: readonly SlotRequest[]) =>
  Promise.all(opened.map((request) => slots.open(request)));

describe('Slots of streams in Redis', function () {
  this.timeout(30_000);
  let redis: TestRedis;
  let connection: RedisConnection;
  let slots: RedisStreamSlots;
  before(async () => {
    redis = await startTestRedis();
    connection = new RedisConnection([redis.url]);
    await connection.start();
  });
  beforeEach(() => {
    slots = slotsOn(connection);
  });
  after(async () => {
    await connection.close();
    await redis.stop();
  });
  afterEach(() => sinon.restore());

  const flush = () => connection.run(FLUSH, [], []);

  it('tell only the instance whose stream lost its slot, and ignore other messages', async () => {
    const other = slotsOn(connection);
    const heard: unknown[] = [];
    slots.onLost((...loss) => heard.push(['mine', ...loss]));
    other.onLost((...loss) => heard.push(['other', ...loss]));
    await Promise.all([slots.start(), other.start()]);
    const subscribe = sinon.spy(connection, 'subscribe');
    await slots.start();
    const [channel = ''] = subscribe.firstCall.args;
    for (const text of ['', 'nonsense', 'replaced', 'lost a', 'replaced a b'])
      await connection.publish(channel, text);
    const of = aSubscription({ allowed: 1 });
    const [first, second] = [requestOf(of), requestOf(of, { isResumed: true })];
    await openAll(slots, [first]);
    await openAll(other, [second]);
    await slots.reduce(of.subscription, 0);
    // `start` was called twice on one of them, so that it hears each message twice.
    await until(3, () => heard.length);
    expect(heard).to.have.deep.members([
      ['mine', first.stream, 'replaced'],
      ['mine', first.stream, 'replaced'],
      ['other', second.stream, 'reduced'],
    ]);
  });

  it('open, renew and close thousands of streams in few scripts, two at a time', async () => {
    const opened = requests(2_000, () => requestOf(aSubscription({ allowed: 1 })));
    let [running, most] = [0, 0];
    const run = connection.run.bind(connection);
    const sent = sinon.stub(connection, 'run').callsFake(async (...call) => {
      running += 1;
      most = Math.max(most, running);
      try {
        return await run(...call);
      } finally {
        running -= 1;
      }
    });
    const scripts = async (work: Promise<unknown>) => {
      await work;
      const count = sent.callCount;
      sent.resetHistory();
      return count;
    };
    expect(await scripts(openAll(slots, opened))).to.equal(Math.ceil(2_000 / 64));
    const held = opened.map((request) => heldBy(request));
    expect(await scripts(slots.renew(held))).to.equal(Math.ceil(2_000 / 256));
    expect(await scripts(Promise.all(opened.map((request) => slots.close(request))))).to.equal(8);
    expect(most).to.equal(2);
    expect(await slots.renew([])).to.deep.equal([]);
  });

  it('stay free if they are closed before the renewal that is under way reaches them', async () => {
    const opened = requests(2_000, () => requestOf(aSubscription({ allowed: 1 })));
    await openAll(slots, opened);
    const renewing = slots.renew(opened.map((request) => heldBy(request)));
    // The last ones first, because those are renewed last.
    await Promise.all(opened.toReversed().map((request) => slots.close(request)));
    expect(await renewing).to.deep.equal([]);
    const answers = await openAll(
      slots,
      opened.map((request) => requestOf(request)),
    );
    expect(answers.filter(({ granted }) => !granted)).to.deep.equal([]);
  });

  it('open in the order of the calls, also those of one script', async () => {
    const of = aSubscription({ allowed: 20 });
    const opened = requests(20, () => requestOf(of));
    await openAll(slots, opened);
    const resumed = await openAll(
      slots,
      requests(6, () => requestOf(of, { isResumed: true })),
    );
    expect(resumed.map((answer) => answer.granted && answer.replaced)).to.deep.equal(
      opened.slice(0, 6).map(({ stream }) => stream),
    );
  });

  it('take all slots again after Redis lost its data, also beyond the plan, in the order of opening', async () => {
    const of = aSubscription({ allowed: 3 });
    const [first, second, third] = [requestOf(of), requestOf(of), requestOf(of)];
    for (const request of [first, second, third]) await slots.open(request);
    await flush();
    const other = slotsOn(connection);
    await openAll(other, [requestOf(of), requestOf(of)]);
    const held = [third, second, first].map((request, i) => heldBy(request, { secondsOpen: 60 + i }));
    await slots.renew([]);
    expect(await slots.renew(held)).to.deep.equal([]);
    expect(await slots.open(requestOf(of))).to.deep.include({ granted: false, open: 5 });
    expect(await slots.open(requestOf(of, { isResumed: true }))).to.include({ replaced: first.stream });
  });

  it('take only free slots after a pause of the instance, also after an early renewal of others', async () => {
    let seconds = 0;
    const paused = slotsOn(connection, { monotonicClock: () => 1_000 * seconds });
    const [of, ofAlive] = [aSubscription({ allowed: 1 }), aSubscription({ allowed: 1 })];
    const [lost, alive] = [requestOf(of), requestOf(ofAlive)];
    await openAll(paused, [lost, alive]);
    await paused.renew([]);
    await flush();
    await openAll(slots, [requestOf(of)]);
    seconds += 30.1;
    const [late, early] = [lost, alive].map((request) => heldBy(request, { secondsOpen: 40 })) as [
      HeldSlot,
      HeldSlot,
    ];
    expect(await paused.renew([early], 'some')).to.deep.equal([]);
    expect(await paused.renew([late, early])).to.deep.equal([lost.stream]);
  });

  it('take only free slots after a pause of the instance, also if the first attempt fails', async () => {
    let seconds = 0;
    const paused = slotsOn(connection, { monotonicClock: () => 1_000 * seconds });
    const of = aSubscription({ allowed: 2 });
    const [kept, lost, fresh] = [requestOf(of), requestOf(of), requestOf(of)];
    await openAll(paused, [kept, lost]);
    await paused.renew([]);
    await flush();
    await openAll(slots, [requestOf(of)]);
    seconds += 30.1;
    const held = [kept, lost].map((request) => heldBy(request, { secondsOpen: 40 }));
    const failing = sinon.stub(connection, 'run').rejects(new Unavailable('Redis'));
    expect(await paused.renew(held).catch((fault: unknown) => fault)).to.be.instanceOf(Unavailable);
    failing.restore();
    seconds += 1;
    expect(await paused.renew(held)).to.deep.equal([lost.stream]);
    expect(await paused.renew([heldBy(fresh, { secondsOpen: 40 })]), 'the pause is over').to.deep.equal([]);
    await flush();
    await openAll(slots, [requestOf(of), requestOf(of)]);
    expect(await paused.renew([heldBy(kept, { secondsOpen: 40 })]), 'Redis lost it').to.deep.equal([]);
  });

  it('ignore streams whose lease has ended, however many an instance left when it crashed', async () => {
    const crashed = slotsOn(connection, { leaseSeconds: 1 });
    const [one, other, last] = [1, 2, 3].map(() => aSubscription({ allowed: 2_400 }));
    if (one === undefined || other === undefined || last === undefined) throw new Error('no subscription');
    await openAll(slots, [requestOf(other)]);
    for (const [of, count] of [
      [one, 2_200],
      [other, 1_500],
      [last, 1],
    ] as const)
      await openAll(
        crashed,
        requests(count, () => requestOf(of)),
      );
    await until(true, async () => (await slots.open(requestOf({ ...last, allowed: 1 }))).granted);
    // Each open and each reduction removes at most 1 000 of them.
    const [next, resumed] = [false, true].map((isResumed) =>
      requestOf({ ...one, allowed: 1 }, { isResumed }),
    );
    if (next === undefined || resumed === undefined) throw new Error('no stream');
    expect(await slots.open(next)).to.deep.include({ granted: true, open: 1, replaced: null });
    expect(await slots.open(resumed)).to.deep.include({ granted: true, open: 1, replaced: next.stream });
    await slots.reduce(other.subscription, 0);
    expect(await slots.open(requestOf({ ...other, allowed: 0 }))).to.deep.include({
      granted: false,
      open: 0,
    });
  });

  it('are protected until the protection ends, by the clock of Redis (D51)', async () => {
    const leaseSeconds = 4.5;
    const brief = slotsOn(connection, { leaseSeconds });
    const of = aSubscription({ allowed: 1 });
    const alive = requestOf(of);
    await brief.open(alive);
    await brief.renew([heldBy(alive, { secondsSincePong: 19.9 })]);
    expect((await slots.open(requestOf(of, { isResumed: true }))).granted).to.equal(false);
    let answer = await slots.open(requestOf(of, { isResumed: true }));
    while (!answer.granted) answer = await slots.open(requestOf(of, { isResumed: true }));
    expect(answer.replaced).to.equal(alive.stream);
  });

  it('cause `Unavailable` if a script fails', async () => {
    const request = requestOf(aSubscription({ allowed: 1 }));
    await connection.run(DAMAGE, [`oddswire:{${request.subscription}}:streams:leases`], []);
    const calls = [
      () => slots.open(request),
      () => slots.renew([heldBy(request)]),
      () => slots.close(request),
    ];
    for (const call of calls)
      expect(await call().catch((fault: unknown) => fault)).to.be.instanceOf(Unavailable);
  });
});

describe('Slots of streams in a Redis Cluster', function () {
  this.timeout(30_000);
  it('are counted exactly, renewed by subscription, and lost by message', async () => {
    const cluster = await startTestRedisCluster();
    const [here, there] = [new RedisConnection(cluster.urls), new RedisConnection(cluster.urls)];
    const [left, right] = [slotsOn(here), slotsOn(there)];
    await Promise.all([here.start(), there.start(), left.start(), right.start()]);
    const subscriptions = Array.from({ length: 100 }, () => aSubscription({ allowed: 3 }));
    for (const of of subscriptions.slice(0, 10)) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? left : right).open(requestOf(of))),
      );
      expect(answers.filter(({ granted }) => granted)).to.have.length(3);
    }
    const opened = subscriptions.slice(10).flatMap((of) => requests(3, () => requestOf(of)));
    expect((await openAll(left, opened)).every(({ granted }) => granted)).to.equal(true);
    const sent = sinon.spy(here, 'run');
    expect(await left.renew(opened.map((request) => heldBy(request)))).to.deep.equal([]);
    expect(sent.callCount).to.equal(90);
    sent.restore();
    const heard = new Promise((done) => left.onLost((stream, why) => done([stream, why])));
    const [first] = opened;
    if (first === undefined) throw new Error('no stream');
    expect(await right.open(requestOf(first, { key: 'key', isResumed: true }))).to.include({
      replaced: first.stream,
    });
    expect(await heard).to.deep.equal([first.stream, 'replaced']);
    await Promise.all(opened.map((request) => left.close(request)));
    expect(await left.open(requestOf(first))).to.include({ granted: true, open: 2 });
    await Promise.all([here.close(), there.close()]);
    await cluster.stop();
  });

  it('are renewed on the other nodes while one does not answer', async () => {
    const held = Array.from({ length: 200 }, () => heldBy(requestOf(aSubscription({ allowed: 3 }))));
    const silent = new Set(
      held.slice(0, 100).map(({ subscription }) => `oddswire:{${subscription}}:streams`),
    );
    let renewed = 0;
    const run: RedisConnection['run'] = async (_, [key = '']) => {
      if (silent.has(key)) throw new Unavailable('Redis');
      renewed += 1;
      return [];
    };
    const slots = new RedisStreamSlots(
      { run, isCluster: true, subscribe: async () => {} },
      { clock: () => NOON, monotonicClock: () => 0, leaseSeconds: SLOT_LEASE_SECONDS },
    );
    expect(await slots.renew(held).catch((fault: unknown) => fault)).to.be.instanceOf(Unavailable);
    expect(renewed).to.equal(100);
  });
});
