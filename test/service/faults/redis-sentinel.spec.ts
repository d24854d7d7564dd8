import { expect } from 'chai';
import { summaryOf, traffic } from '../../support/load/traffic.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { startTestSentinels } from '../../support/servers/redis-failover.js';
import { serverUrl } from '../../support/servers/stores.js';
import { admittedOf, untilReady } from '../../support/service/admissions.js';
import { aKey } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { launchInstance, type Service, startService } from '../../support/service/running-service.js';

const QUOTA = 60;
const USED = 20;
const LEFT = QUOTA - USED;

/** D75: the primary is followed through Sentinel. */
describe('Two instances on a Redis with Sentinel', function () {
  this.timeout(90_000);
  let redis: Awaited<ReturnType<typeof startTestSentinels>>;
  let service: Service;
  let client: Client;
  afterEach(async () => {
    await service?.stop();
    await redis?.stop();
  });

  const faults = [
    ['is frozen', (node: TestRedis) => node.freeze(), (node: TestRedis) => node.thaw()],
    ...(process.env['DEEP'] === '1'
      ? ([['is killed', (node: TestRedis) => node.kill(), (node: TestRedis) => node.restart()]] as const)
      : []),
  ] as const;
  for (const [what, fail, repair] of faults)
    it(`count exactly within 1 s of the election after the primary ${what}`, async () => {
      redis = await startTestSentinels(PASSWORDS);
      service = await startService(
        {
          DATABASE_URL: await freshDatabase(serverUrl()),
          REDIS_URL: redis.url,
          RATE_LIMIT_FREE_MINUTE: '1000000',
          RATE_LIMIT_PRO_MINUTE: '1000000',
          RATE_LIMIT_FREE_DAY: String(QUOTA),
        },
        2,
      );
      client = await Client.of(service);
      const admitted = (key: string, requests = QUOTA) => admittedOf(service, key, requests);
      const [used, idle, busy] = [await aKey(client, 'free'), await aKey(client, 'free'), await aKey(client)];
      for (const { key } of [used, idle]) expect(await admitted(key, USED)).to.equal(USED);
      const running = traffic(2, (n) => ({
        url: `${service.instances[n % 2]?.url}/pm/v2/news?limit=5`,
        headers: { 'X-API-Key': busy.key },
        kind: 'news',
      }));
      await running.more(100);
      await fail(redis.primary);
      const failedAt = performance.now();
      const elected = redis.elected().then(() => performance.now());
      const exact = elected.then(async (at) => {
        await untilReady(service);
        return Math.round(performance.now() - at);
      });
      await Promise.all(service.instances.map(({ line }) => line('Redis cannot be used')));
      const noticedMs = Math.round(performance.now() - failedAt);
      const during = await admitted(used.key);
      const electedMs = Math.round((await elected) - failedAt);
      const exactMs = await exact;
      const later = await admitted(idle.key);
      await repair(redis.primary);
      await running.more(100);
      const tally = await running.stop();
      console.log(
        `      ${LEFT} of ${QUOTA} left: ${during} admitted without the primary, ${later} after the election; noticed after ${noticedMs} ms, elected after ${electedMs} ms, exact ${exactMs} ms later; ${summaryOf(tally)}`,
      );
      expect(during).to.be.within(LEFT, QUOTA);
      expect(later).to.equal(LEFT);
      expect(exactMs).to.be.at.most(1_000);
      expect(Object.keys(tally)).to.deep.equal(['news 200']);
    });
});

const PASSWORDS = { nodes: 'of-nodes', sentinels: 'of-sentinels' };

describe('The start', function () {
  this.timeout(60_000);
  const refusal = async (settings: Readonly<Record<string, string>>) => {
    const launched = launchInstance(settings);
    await launched.listening.catch(() => {});
    expect(launched.output).to.have.length(1);
    return launched.output[0];
  };

  it('fails with one line if several URLs of REDIS_URL are no cluster', async () => {
    const servers = await Promise.all([startTestRedis(), startTestRedis()]);
    const [first, second] = servers.map(({ url }) => new URL(url).host);
    expect(await refusal({ REDIS_URL: servers.map(({ url }) => url).join() })).to.match(
      new RegExp(
        `^oddswire: cannot start: REDIS_URL has several URLs, but (${first}|${second}) is not a node of a Redis Cluster: set only the URL of the primary`,
      ),
    );
    await Promise.all(servers.map(({ stop }) => stop()));
  });

  it('fails with one line if no Sentinel knows the name of REDIS_URL, or if there is no name', async () => {
    const redis = await startTestSentinels();
    expect(await refusal({ REDIS_URL: redis.url.replace('/oddswire', '/other') })).to.match(
      /^oddswire: cannot start: no Sentinel at 127.0.0.1:\d+, 127.0.0.1:\d+, 127.0.0.1:\d+ knows the name "other"/,
    );
    expect(await refusal({ REDIS_URL: redis.url.replace('/oddswire', '') })).to.match(
      /^oddswire: REDIS_URL must have the name of the primary as its path/,
    );
    await redis.stop();
  });
});
