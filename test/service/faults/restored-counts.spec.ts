import { once } from 'node:events';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { createClient } from 'redis';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { serverUrl } from '../../support/servers/stores.js';
import { advance, aKey } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const QUOTA = 240;
const HALF = 100;
const LIMITS = {
  RATE_LIMIT_FREE_MINUTE: '1000000',
  RATE_LIMIT_FREE_DAY: String(QUOTA),
  CONNECTIONS_PER_ADDRESS: '0',
};
const HALF_DAY_SECONDS = 43_200;

/** D35: a day that is used up stays so, although no running instance has seen its count. */
describe('A service whose counters are lost while it is restarted', function () {
  this.timeout(60_000);
  let redis: TestRedis;
  let database: string;
  let db: Knex;
  let service: Service;
  let client: Client;
  before(async () => {
    redis = await startTestRedis();
  });
  beforeEach(async () => {
    database = await freshDatabase(serverUrl());
    db = connect(database, REQUEST_TIMEOUTS, 1);
  });
  afterEach(async () => {
    await service.stop();
    await disconnect(db);
  });
  after(() => redis.stop());

  const start = async (instances: number, environment = {}) => {
    service = await startService({ DATABASE_URL: database, ...LIMITS, ...environment }, instances);
    client = await Client.of(service);
  };
  /** The middle of a day, so that neither its beginning nor its end is within the test. */
  const atNoon = async () => {
    const seconds = Math.floor(Date.parse(await client.time()) / 1_000) % (2 * HALF_DAY_SECONDS);
    await advance(client, 3 * HALF_DAY_SECONDS - seconds);
  };
  /** The number of admitted requests of `requests`, sent to all instances in turn. */
  const admitted = async (key: string, requests: number) => {
    const { instances } = service;
    const replies = await Promise.all(
      Array.from({ length: requests }, (_, i) =>
        fetch(`${instances[i % instances.length]?.url}/pm/v2/news?limit=1`, {
          headers: { 'X-API-Key': key },
        }),
      ),
    );
    return replies.filter(({ status }) => status === 200).length;
  };
  /** Uses up the day of one key, and a share of the day of another one. */
  const use = async () => {
    await atNoon();
    const [full, half] = [await aKey(client, 'free'), await aKey(client, 'free')];
    const used = [await admitted(full.key, 2 * QUOTA), await admitted(half.key, HALF)];
    return { full, half, used };
  };
  const written = () =>
    until(QUOTA + HALF, async () => {
      const [row] = await db('usage').where({ status_class: '2xx' }).sum({ requests: 'requests' });
      return Number(row?.['requests']);
    });
  /** The first request reads the usage. Requests to other instances in this moment may be admitted. */
  const admittedAfter = async (key: string) => (await admitted(key, 1)) + (await admitted(key, 2 * QUOTA));

  const flush = async () => {
    const peer = createClient({ url: redis.url });
    await peer.connect();
    await peer.flushAll();
    peer.destroy();
  };
  const stop = () => service.stop();
  const kill = async () => {
    await written();
    for (const { process } of service.instances) {
      const exited = once(process, 'exit');
      process.kill('SIGKILL');
      await exited;
    }
  };

  for (const [title, end, lose] of [
    ['stopped, and Redis gets FLUSHALL', stop, flush],
    ['stopped, and Redis is restarted without data', stop, () => redis.restart()],
    ['killed, and Redis gets FLUSHALL', kill, flush],
  ] as const) {
    it(`continues the day from the usage: two instances are ${title}`, async () => {
      await start(2, { REDIS_URL: redis.url });
      const { full, half, used } = await use();
      await end();
      await lose();
      await start(2, { REDIS_URL: redis.url });
      const after = [await admittedAfter(full.key), await admittedAfter(half.key)];
      console.log(
        `      quota ${QUOTA}: ${used.join(' and ')} admitted before, ${after.join(' and ')} after`,
      );
      expect(used).to.deep.equal([QUOTA, HALF]);
      expect(after).to.deep.equal([0, QUOTA - HALF]);
    });
  }

  it('continues the day from the usage without Redis, too', async () => {
    await start(1);
    const { full, half, used } = await use();
    await service.stop();
    await start(1);
    expect(used).to.deep.equal([QUOTA, HALF]);
    expect([await admittedAfter(full.key), await admittedAfter(half.key)]).to.deep.equal([0, QUOTA - HALF]);
  });

  it('counts all keys of an account, also one that was revoked', async () => {
    await start(1);
    await atNoon();
    const first = await aKey(client, 'free');
    expect(await admitted(first.key, HALF)).to.equal(HALF);
    await client.operate('POST', `/internal/v1/keys/${first.key_id}/revoke`, {
      cause: 'manual',
      reason: 'a test',
    });
    const next = await client.operate('POST', `/internal/v1/accounts/${first.account}/keys`);
    await service.stop();
    await start(1);
    expect(await admittedAfter((next.json as { readonly key: string }).key)).to.equal(QUOTA - HALF);
  });
});
