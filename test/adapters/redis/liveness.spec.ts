import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { RedisConnection } from '../../../src/adapters/redis/connection.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { ACCEPTED, block, faultOf } from '../../support/redis-liveness.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { type SilentProxy, startSilentProxy } from '../../support/servers/silent-proxy.js';
import { redisUrl } from '../../support/servers/stores.js';
import { until } from '../../support/until.js';

/** T6 and T17. */
describe('A connection to Redis', function () {
  this.timeout(30_000);

  describe('through a network that drops it without notice', () => {
    let proxy: SilentProxy;
    let connection: RedisConnection;
    const heard: string[] = [];
    before(async () => {
      proxy = await startSilentProxy(redisUrl());
      connection = new RedisConnection([proxy.url]);
      await connection.start();
      await connection.subscribe('liveness', (message) => heard.push(message));
    });
    after(async () => {
      await connection.close();
      await proxy.stop();
    });

    it('is given up and opened again, even while the service keeps writing to it', async () => {
      proxy.silence();
      const lost = faultOf(connection.ping());
      let isLost = false;
      void lost.then(() => {
        isLost = true;
      });
      const writes: Promise<unknown>[] = [];
      await until(true, () => {
        writes.push(faultOf(connection.ping()));
        return isLost;
      });
      expect(await lost).to.be.instanceOf(Unavailable);
      await until('answered', () => faultOf(connection.ping()));
      await Promise.all(writes);
    });

    it('has its subscription again', async () => {
      await until(true, async () => {
        await faultOf(connection.publish('liveness', 'again'));
        return heard.length > 0;
      });
      expect(heard[0]).to.equal('again');
    });
  });

  it('is given up and opened again if its server never answers the first command', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket.on('error', () => {})));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const connection = new RedisConnection([`redis://127.0.0.1:${(server.address() as AddressInfo).port}`]);
    void connection.start();
    await until(true, () => sockets.length >= 3);
    await connection.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  describe('of a process that is paused', () => {
    let redis: TestRedis;
    let connection: RedisConnection;
    before(async () => {
      redis = await startTestRedis();
      connection = new RedisConnection([redis.url]);
      await connection.start();
    });
    after(async () => {
      await connection.close();
      await redis.stop();
    });

    for (const ms of [600, 1_200, 2_500]) {
      it(`is kept, and an answer that arrived meanwhile is read: ${ms} ms`, async () => {
        const before = await connection.run(ACCEPTED, ['x'], []);
        let answer: unknown = null;
        const asked = connection.run(ACCEPTED, ['x'], []).then((accepted) => {
          answer = accepted;
        });
        await new Promise((done) => setImmediate(() => setImmediate(done)));
        block(ms);
        await asked;
        expect(answer).to.equal(before);
        for (let i = 0; i < 3; i += 1) {
          await new Promise((done) => setTimeout(done, 20));
          expect(await connection.run(ACCEPTED, ['x'], [])).to.equal(before);
        }
      });
    }
  });
});
