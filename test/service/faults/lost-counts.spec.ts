import { expect } from 'chai';
import { createClient } from 'redis';
import { freshDatabase } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { serverUrl } from '../../support/servers/stores.js';
import { aKey } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

const QUOTA = 240;

/** D35: the counts of a day do not begin again because Redis has lost its data. */
describe('Two instances, after Redis has lost its data,', function () {
  this.timeout(60_000);
  let redis: TestRedis;
  let service: Service;
  let client: Client;
  beforeEach(async () => {
    redis = await startTestRedis();
    service = await startService(
      {
        DATABASE_URL: await freshDatabase(serverUrl()),
        REDIS_URL: redis.url,
        RATE_LIMIT_FREE_MINUTE: '1000000',
        RATE_LIMIT_FREE_DAY: String(QUOTA),
      },
      2,
    );
    client = await Client.of(service);
  });
  afterEach(async () => {
    await service.stop();
    await redis.stop();
  });

  /** The number of admitted requests of `requests`, sent to both instances in turn. */
  const admitted = async (key: string, requests: number, instances = [0, 1]) => {
    const replies = await Promise.all(
      Array.from({ length: requests }, (_, i) => {
        const url = service.instances[instances[i % instances.length] ?? 0]?.url;
        return fetch(`${url}/pm/v2/news?limit=1`, { headers: { 'X-API-Key': key } });
      }),
    );
    return replies.filter(({ status }) => status === 200).length;
  };
  const flush = async () => {
    const peer = createClient({ url: redis.url });
    await peer.connect();
    await peer.flushAll();
    peer.destroy();
  };
  const restart = async () => {
    await redis.kill();
    await Promise.all(service.instances.map(({ line }) => line('Redis cannot be used')));
    await redis.restart();
    await Promise.all(service.instances.map(({ line }) => line('Redis can be used again')));
  };

  for (const [title, lose] of [
    ['FLUSHALL', flush],
    ['a restart without data', restart],
  ] as const) {
    it(`admit no used-up quota of a day again: ${title}`, async () => {
      const [full, half] = [await aKey(client, 'free'), await aKey(client, 'free')];
      const used = await admitted(full.key, 2 * QUOTA);
      const halfUsed = (await admitted(half.key, 60, [0])) + (await admitted(half.key, 40, [1]));
      await lose();
      // The first answer of an instance shows the loss. Requests that are in flight at that moment may be admitted.
      const after = (await admitted(full.key, 2)) + (await admitted(full.key, 2 * QUOTA));
      const rest = (await admitted(half.key, QUOTA, [0])) + (await admitted(half.key, QUOTA, [1]));
      console.log(
        `      quota ${QUOTA}: ${used} admitted before, ${after} after; ${halfUsed} before, ${rest} after`,
      );
      expect([used, after, halfUsed]).to.deep.equal([QUOTA, 0, 100]);
      // Instance 0, which is asked first, has not seen the 40 permits of instance 1.
      expect(halfUsed + rest).to.be.within(QUOTA, QUOTA + 40);
    });
  }
});
