import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import sinon from 'sinon';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import { RedisConnection } from '../../../src/adapters/redis/connection.js';
import { RedisCounters } from '../../../src/adapters/redis/redis-counters.js';
import { script } from '../../../src/adapters/redis/script.js';
import { Breaker } from '../../../src/adapters/resilience/breaker.js';
import { withDeadline } from '../../../src/adapters/resilience/deadline.js';
import type { Counters } from '../../../src/application/ports/limits/counters.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { nextImmediate } from '../../support/next-immediate.js';
import { NOON, runs } from '../../support/objects/builders.js';
import { receiptOf } from '../../support/objects/receipts.js';
import { startTestRedis, startTestRedisCluster, type TestRedis } from '../../support/servers/redis.js';

const CALLS_PER_SCRIPT = 256;

const permit = (capacity: number, counter = `{${randomUUID()}}`, lifetimeSeconds = 60) => ({
  counter,
  capacity,
  lifetimeSeconds,
});

/** `counters`: the names of the counters of the call, of its subject. */
const step = fc.record({
  isTake: fc.boolean(),
  subject: fc.nat(3),
  counters: fc.subarray(['minute', 'day', 'month'], { minLength: 1 }),
  capacity: fc.nat(9),
  n: fc.nat(4),
  isLast: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function run(counters: Counters, subjects: string, { isTake, subject, counters: names, capacity, n }: Step) {
  const permits = names.map((name) => permit(capacity, `{${subjects}:${subject}}:${name}`));
  return isTake ? counters.take(permits, n) : counters.giveBack(receiptOf(permits), n);
}

/** Calls that are made in one turn of the event loop or in several, without waiting for any of them. */
const equalOneByOneCalls = (counters: () => RedisCounters) => async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
    const subjects = randomUUID();
    const model = new MemoryCounters(() => NOON);
    const [expected, answers] = [[] as unknown[], [] as unknown[]];
    for (const one of steps) {
      expected.push(await run(model, subjects, one));
      answers.push(run(counters(), subjects, one));
      if (one.isLast) await nextImmediate();
    }
    expect(await Promise.all(answers)).to.deep.equal(expected);
  });
  await loadScript(counters());
  await fc.assert(property, { ...runs(100), examples: [[UNUSED_COUNTER]] });
};

/** A counter that was given back to 0 exists, also after a call that is granted nothing: the last call does not create it. */
const UNUSED_COUNTER: Step[] = [
  { isTake: true, capacity: 1 },
  { isTake: false, capacity: 1 },
  { isTake: true, capacity: 0 },
  { isTake: true, capacity: 1 },
].map((each) => ({ ...each, subject: 0, counters: ['day'], n: 1, isLast: true }));

/** A server that does not know the script yet gets it with a second command, which later calls may overtake. */
async function loadScript(counters: Counters): Promise<void> {
  for (let i = 0; i < 100; i += 1) await counters.take([permit(1)], 0);
}

describe('Calls of Redis counters in one turn of the event loop', function () {
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
  afterEach(() => sinon.restore());

  const outcomes = (calls: readonly Promise<unknown>[]) =>
    Promise.all(calls.map((call) => call.catch((fault: unknown) => fault)));
  const takes = (count: number, from: Counters = counters) =>
    Array.from({ length: count }, async () => from.take([permit(5)], 1));

  it(
    'have the results of the same calls one by one',
    equalOneByOneCalls(() => counters),
  );

  it(`run in one script, and more than ${CALLS_PER_SCRIPT} calls in several`, async () => {
    const sent = sinon.spy(connection, 'run');
    const answers = takes(2 * CALLS_PER_SCRIPT + 1);
    await nextImmediate();
    expect(sent.args.map(([, keys]) => keys.length)).to.deep.equal([CALLS_PER_SCRIPT, CALLS_PER_SCRIPT, 1]);
    for (const answer of await Promise.all(answers))
      expect(answer).to.deep.include({ granted: 1, counts: [1] });
    expect(sent.callCount).to.equal(3);
  });

  it('grant the last permit of a shared counter once, with all other counters of that call', async () => {
    const subject = `{${randomUUID()}}`;
    const day = permit(1, `${subject}:day`);
    const others = Array.from({ length: 50 }, (_, i) => permit(5, `${subject}:${i}`));
    const answers = await Promise.all(others.map((other) => counters.take([other, day], 1)));
    expect(answers[0]).to.deep.include({ granted: 1, counts: [1, 1] });
    for (const answer of answers.slice(1)) expect(answer).to.deep.include({ granted: 0, counts: [0, 1] });
  });

  it('give each counter its own lifetime', async () => {
    const ttl = script("return redis.call('TTL', KEYS[1])");
    const permits = [100, 1_000, 10_000].map((lifetime) => permit(5, undefined, lifetime));
    await Promise.all(permits.map((one) => counters.take([one], 1)));
    for (const { counter, lifetimeSeconds } of permits) {
      const left = await connection.run(ttl, [`oddswire:${counter}`], []);
      expect(left).to.be.within(lifetimeSeconds - 10, lifetimeSeconds);
    }
  });

  it('take and give back as many permits as each states', async () => {
    const [one, other, third] = [permit(5), permit(5), permit(5)];
    const taken = await Promise.all([
      counters.take([one], 3),
      counters.take([other], 5),
      counters.take([third], 4),
      counters.giveBack(receiptOf([one]), 1),
      counters.giveBack(receiptOf([other]), 3),
    ]);
    const counted = await Promise.all([one, other, third].map((each) => counters.take([each], 0)));
    const granted = taken.slice(0, 3).map((answer) => answer?.granted);
    expect(granted).to.deep.equal([3, 5, 4]);
    expect(counted.map(({ counts }) => counts)).to.deep.equal([[2], [2], [4]]);
  });

  it('fail alone if Redis refuses a command of one of them', async () => {
    const [broken, intact] = [permit(5), permit(5)];
    const breaking = script("return redis.call('LPUSH', KEYS[1], 'a list')");
    await connection.run(breaking, [`oddswire:${broken.counter}`], []);
    const calls = [intact, broken, intact].map((one) => counters.take([one], 1));
    const [first, fault, last] = await outcomes(calls);
    expect(first).to.deep.include({ granted: 1, counts: [1] });
    expect(fault).to.be.instanceOf(Unavailable);
    expect((fault as Unavailable).cause).to.match(/WRONGTYPE/);
    expect(last).to.deep.include({ granted: 1, counts: [2] });
  });

  it('all fail with `Unavailable` if the script fails, and later calls do not', async () => {
    const failing = sinon.stub(connection, 'run').rejects(new Unavailable('Redis'));
    const faults = await outcomes([...takes(300), counters.giveBack(receiptOf([permit(5)]), 1)]);
    expect(faults).to.have.length(301);
    for (const fault of faults) expect(fault).to.be.instanceOf(Unavailable);
    failing.restore();
    expect(await counters.take([permit(5)], 1)).to.deep.include({ granted: 1, counts: [1] });
  });

  it('fail at the deadline of their script, and open the breaker if Redis does not answer', async () => {
    const breaker = new Breaker({ what: 'Redis', failingMs: 0, probe: async () => {} });
    const run: RedisConnection['run'] = (...script) =>
      breaker.run(() => withDeadline(50, 'Redis', () => connection.run(...script)));
    const behind = new RedisCounters({ isCluster: false, run });
    await redis.freeze();
    const faults = await outcomes(takes(2 * CALLS_PER_SCRIPT, behind));
    expect(breaker.state).to.equal('closed');
    faults.push(...(await outcomes(takes(10, behind))));
    await redis.thaw();
    for (const fault of faults) expect(fault).to.be.instanceOf(Unavailable);
    expect(breaker.state).to.equal('open');
    while (await connection.ping().catch(() => true)) await nextImmediate();
    expect(await counters.take([permit(5)], 1)).to.deep.include({ granted: 1, counts: [1] });
  });
});

describe('Calls of Redis counters on a cluster', function () {
  this.timeout(30_000);
  let cluster: Awaited<ReturnType<typeof startTestRedisCluster>>;
  let connection: RedisConnection;
  let counters: RedisCounters;
  before(async () => {
    cluster = await startTestRedisCluster();
    connection = new RedisConnection(cluster.urls);
    counters = new RedisCounters(connection);
    await connection.start();
  });
  after(async () => {
    await connection.close();
    await cluster.stop();
  });

  it(
    'have the results of the same calls one by one',
    equalOneByOneCalls(() => counters),
  );

  it('run in one script each, because the keys of a script must be in one slot', async () => {
    const sent = sinon.spy(connection, 'run');
    await Promise.all(Array.from({ length: 20 }, () => counters.take([permit(5)], 1)));
    expect(sent.args.map(([, keys]) => keys.length)).to.deep.equal(Array(20).fill(1));
    sent.restore();
  });
});
