import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import { emptyDatabase } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { serverUrl } from '../../support/servers/stores.js';
import { actOn, aKey, ids, publishAll, unique } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import {
  type Instance,
  killed,
  type Launched,
  launchInstance,
  serviceOf,
} from '../../support/service/running-service.js';
import { until } from '../../support/until.js';
import { launchVersionBefore, VERSION_BEFORE } from '../../support/versions/version-before.js';

/** A rolling update: both versions on one Postgres and one Redis. */
describe('The previous version and this one', function () {
  this.timeout(60_000);
  let redis: TestRedis;
  let settings: Readonly<Record<string, string>>;
  let previous: Instance;
  let present: Instance;
  const launched: Launched[] = [];
  const listening = (one: Launched): Promise<Instance> => {
    launched.push(one);
    return one.listening;
  };

  before(async () => {
    redis = await startTestRedis();
    settings = { DATABASE_URL: await emptyDatabase(serverUrl()), REDIS_URL: redis.url };
    previous = await listening(launchVersionBefore(settings));
    present = await listening(launchInstance(settings));
  });
  after(async () => {
    await Promise.all(launched.map((one) => one.stop()));
    await redis.stop();
  });

  const clientOf = (instance: Instance) => Client.of(serviceOf(instance));
  const both = async () => [await clientOf(previous), await clientOf(present)] as const;
  const ways = async () => {
    const [one, other] = await both();
    return [
      ['the previous version', one, other],
      ['this version', other, one],
    ] as const;
  };

  async function worksBothWays(): Promise<void> {
    for (const [issuer, one, other] of await ways()) {
      const { key, key_id } = await aKey(one);
      expect((await other.news(key)).status, `a key of ${issuer}`).to.equal(200);
      const id = unique();
      await publishAll(one, [publication({ id })]);
      await until(id, async () => ids(await other.news(key, '?limit=1'))[0]);
      expect((await actOn(one, key_id, 'revoke', { cause: 'manual' })).status).to.equal(200);
      await until(401, async () => (await other.news(key)).status);
    }
  }

  it('are different versions', async () => {
    const { json } = await send(`${previous.url}/openapi.json`, {});
    expect(json).to.have.nested.property('info.version', VERSION_BEFORE);
    expect(previous.process.spawnargs[1]).not.to.equal(present.process.spawnargs[1]);
  });

  it('share keys, publications and revocations in both directions', () => worksBothWays());

  it('serve the same page, with the items of both in one order', async () => {
    const [one, other] = await both();
    const published = [unique(), unique(), unique(), unique()];
    for (const [i, id] of published.entries()) {
      await publishAll(i % 2 === 0 ? one : other, [publication({ id })]);
    }
    const { key } = await aKey(one);
    const page = async (client: Client) => ids(await client.news(key, '?limit=4')).join();
    const newestFirst = [...published].reverse().join();
    await until(newestFirst, () => page(one));
    await until(newestFirst, () => page(other));
  });

  it('share them after a kill and restart of the previous version', async () => {
    const { key } = await aKey(await clientOf(previous));
    await killed(previous);
    const id = unique();
    await publishAll(await clientOf(present), [publication({ id })]);
    previous = await listening(launchVersionBefore(settings));
    await until(id, async () => ids(await (await clientOf(previous)).news(key, '?limit=1'))[0]);
    await worksBothWays();
  });

  it('share them after a kill and restart of this version', async () => {
    await killed(present);
    present = await listening(launchInstance(settings));
    await worksBothWays();
  });

  it('both serve pages of the dashboard', async () => {
    for (const { url } of [previous, present]) {
      expect((await send(`${url}/dashboard/sign-in`, {})).status, url).to.equal(200);
    }
  });
});
