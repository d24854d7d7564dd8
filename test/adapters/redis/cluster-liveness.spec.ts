import { expect } from 'chai';
import { RedisConnection } from '../../../src/adapters/redis/connection.js';
import { type Script, script } from '../../../src/adapters/redis/script.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { ACCEPTED, block, faultOf } from '../../support/redis-liveness.js';
import { startTestRedisCluster, type TestRedis } from '../../support/servers/redis.js';
import { until } from '../../support/until.js';

/** The port of the node that has the key. */
const PORT = script("return redis.call('INFO', 'server'):match('tcp_port:(%d+)')");

/** T6 and T17. */
describe('A connection to a Redis Cluster', function () {
  this.timeout(30_000);
  let cluster: Awaited<ReturnType<typeof startTestRedisCluster>>;
  let connection: RedisConnection;
  let frozen: TestRedis;
  /** A key on the node that a test freezes, and one on another node. */
  let key: string;
  let otherKey: string;
  const ask = (on: string, what: Script = PORT, by = connection) => by.run(what, [on], []);
  before(async () => {
    cluster = await startTestRedisCluster();
    connection = new RedisConnection(cluster.urls);
    await connection.start();
    const keys = Array.from({ length: 48 }, (_, i) => `key ${i}`);
    const ports = await Promise.all(keys.map((each) => ask(each)));
    const at = ports.findIndex((port) => port !== ports[0]);
    [key, otherKey] = [keys[0] ?? '', keys[at] ?? ''];
    const node = cluster.nodes.find(({ url }) => new URL(url).port === ports[0]);
    if (node === undefined) throw new Error('no node has the key');
    frozen = node;
  });
  after(async () => {
    await connection.close();
    await cluster.stop();
  });

  it('is kept while this process is paused, and an answer that arrived meanwhile is read', async () => {
    const accepted = () => Promise.all([key, otherKey].map((each) => ask(each, ACCEPTED)));
    const before = await accepted();
    const asked = accepted();
    await new Promise((done) => setImmediate(() => setImmediate(done)));
    block(1_500);
    expect(await asked).to.deep.equal(before);
    for (let i = 0; i < 3; i += 1) {
      await new Promise((done) => setTimeout(done, 20));
      expect(await accepted()).to.deep.equal(before);
    }
  });

  it('is given up if its node is frozen, even while the service keeps writing to it; other nodes answer', async () => {
    await connection.subscribe('liveness', () => {});
    await frozen.freeze();
    let isLost = false;
    const lost = faultOf(ask(key)).finally(() => {
      isLost = true;
    });
    const writes: Promise<unknown>[] = [];
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
    }, 100);
    await until(true, async () => {
      writes.push(faultOf(ask(key)));
      expect(await faultOf(ask(otherKey))).to.equal('answered');
      return isLost;
    });
    clearInterval(ticking);
    expect(await lost).to.be.instanceOf(Unavailable);
    // Ticks of 100 ms, as the service counts them: a slow machine delays both.
    expect(ticks).to.be.at.most(20);
    await Promise.all(writes);
  });

  it('is opened without a node that does not answer', async () => {
    const late = new RedisConnection(cluster.urls);
    void late.start();
    await until('answered', () => faultOf(ask(otherKey, PORT, late)));
    expect(await faultOf(ask(key, PORT, late))).to.be.instanceOf(Unavailable);
    await frozen.thaw();
    await until('answered', () => faultOf(ask(key, PORT, late)));
    await late.close();
  });

  it('answers again, with its subscriptions, once its node does', async () => {
    await until('answered', () => faultOf(ask(key)));
    const heard: string[] = [];
    await connection.subscribe('again', (message) => heard.push(message));
    await until(true, async () => {
      await faultOf(connection.publish('again', 'x'));
      return heard.length > 0;
    });
  });
});
