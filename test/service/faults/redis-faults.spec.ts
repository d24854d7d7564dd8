import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { createClient } from 'redis';
import { summaryOf, traffic } from '../../support/load/traffic.js';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { startSilentProxy } from '../../support/servers/silent-proxy.js';
import { serverUrl } from '../../support/servers/stores.js';
import { aKey, metric, publishAll, ready, startOfMinute } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** D35 and D39: without Redis the service works on, and each instance counts alone. */
describe('The service, while Redis is unavailable,', function () {
  this.timeout(60_000);
  let redis: TestRedis;
  let service: Service;
  let client: Client;
  beforeEach(async () => {
    redis = await startTestRedis();
    service = await startService({
      DATABASE_URL: await freshDatabase(serverUrl()),
      REDIS_URL: redis.url,
      RATE_LIMIT_PRO_MINUTE: '1000000',
    });
    client = await Client.of(service);
  });
  afterEach(async () => {
    await service.stop();
    await redis.stop();
  });

  const lines = (text: string) => client.outputs().filter((line) => line.includes(text)).length;
  const newsOf = (key: string) => () => ({
    url: `${service.instances[0]?.url}/pm/v2/news?limit=5`,
    headers: { 'X-API-Key': key },
    kind: 'news',
  });

  it('answers 200 under load and logs each change, while Redis freezes, is killed and returns', async () => {
    await publishAll(client, [publication({ id: 'a' })]);
    const { key } = await aKey(client);
    const running = traffic(16, newsOf(key));
    await running.more(1_000);
    await redis.freeze();
    const frozenAt = performance.now();
    await client.line('Redis cannot be used');
    const noticedMs = Math.round(performance.now() - frozenAt);
    await running.more(1_000);
    await redis.thaw();
    await client.line('Redis can be used again');
    await running.more(1_000);
    await redis.kill();
    await client.line('Redis cannot be used', 2);
    expect(await ready(client)).to.deep.equal([200, 'degraded']);
    expect(await metric(client, 'oddswire_dependency_up{dependency="Redis"}')).to.equal(0);
    await running.more(1_000);
    await redis.restart();
    const at = performance.now();
    await client.line('Redis can be used again', 2);
    const backMs = Math.round(performance.now() - at);
    await running.more(1_000);
    const tally = await running.stop();
    console.log(
      `      ${summaryOf(tally)}; frozen: noticed after ${noticedMs} ms; back ${backMs} ms after Redis was`,
    );
    expect(Object.keys(tally)).to.deep.equal(['news 200']);
    expect(tally['news 200']?.count).to.be.at.least(5_000);
    expect([lines('Redis cannot be used'), lines('Redis can be used again')]).to.deep.equal([2, 2]);
    expect(await metric(client, 'oddswire_dependency_up{dependency="Redis"}')).to.equal(1);
    expect(await ready(client)).to.deep.equal([200, 'ready']);
  });

  it('answers 200 and says so at /readyz, in the metric and in the log, while Redis takes no writes', async () => {
    await publishAll(client, [publication({ id: 'a' })]);
    const { key } = await aKey(client);
    const peer = createClient({ url: redis.url });
    peer.on('error', () => {}); // The server is stopped at the end.
    await peer.connect();
    const running = traffic(4, newsOf(key));
    const refusals: readonly (readonly [
      code: string,
      begin: () => Promise<unknown>,
      end: () => Promise<unknown>,
    ])[] = [
      ['OOM', () => peer.configSet('maxmemory', '1'), () => peer.configSet('maxmemory', '0')],
      [
        'READONLY',
        () => peer.sendCommand(['REPLICAOF', '127.0.0.1', '1']),
        () => peer.sendCommand(['REPLICAOF', 'NO', 'ONE']),
      ],
    ];
    const noticedMs: number[] = [];
    for (const [i, [code, begin, end]] of refusals.entries()) {
      await running.more(200);
      await begin();
      const at = performance.now();
      expect(await client.line('Redis cannot be used', i + 1)).to.include(code);
      noticedMs.push(Math.round(performance.now() - at));
      expect(await ready(client)).to.deep.equal([200, 'degraded']);
      expect(await metric(client, 'oddswire_dependency_up{dependency="Redis"}')).to.equal(0);
      await running.more(200);
      await end();
      await client.line('Redis can be used again', i + 1);
    }
    const tally = await running.stop();
    peer.destroy();
    console.log(`      ${summaryOf(tally)}; noticed after ${noticedMs.join(' and ')} ms`);
    expect(Object.keys(tally)).to.deep.equal(['news 200']);
    expect(await ready(client)).to.deep.equal([200, 'ready']);
  });

  it('uses the server to which the name of Redis leads after a failover', async () => {
    const other = await startTestRedis();
    const proxy = await startSilentProxy(redis.url);
    await service.stop();
    service = await startService({ DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: proxy.url });
    client = await Client.of(service);
    const { key } = await aKey(client, 'free');
    const peer = createClient({ url: redis.url });
    const onOther = createClient({ url: other.url });
    await Promise.all([peer.connect(), onOther.connect()]);
    expect((await client.news(key)).status).to.equal(200);
    await peer.sendCommand(['REPLICAOF', '127.0.0.1', '1']);
    proxy.move(other.url);
    const at = performance.now();
    const minutes = () => onOther.keys('oddswire:*:minute:*');
    while ((await minutes()).length === 0) expect((await client.news(key)).status).to.be.oneOf([200, 429]);
    console.log(`      counted on the new primary after ${Math.round(performance.now() - at)} ms`);
    expect(await ready(client)).to.deep.equal([200, 'ready']);
    for (const each of [peer, onOther]) each.destroy();
    await proxy.stop();
    await other.stop();
  });

  it('counts on from the last known counters, so that one instance admits exactly the quota (D35)', async () => {
    const { key } = await aKey(client, 'free');
    await startOfMinute(client);
    const statuses = async (requests: number) => {
      const replies = await Promise.all(Array.from({ length: requests }, () => client.news(key, '?limit=1')));
      return replies.map(({ status }) => status);
    };
    expect(await statuses(20)).to.deep.equal(Array(20).fill(200));
    await redis.kill();
    await client.line('Redis cannot be used');
    expect((await statuses(100)).filter((status) => status === 200)).to.have.length(40);
    const reply = await client.news(key);
    expect([reply.status, reply.headers['x-ratelimit-remaining']]).to.deep.equal([429, '0']);
  });

  it('does without a Redis that answers too late for every request, until it is in time again', async () => {
    await service.stop();
    const proxy = await startSilentProxy(redis.url);
    try {
      service = await startService({
        DATABASE_URL: await freshDatabase(serverUrl()),
        REDIS_URL: proxy.url,
        RATE_LIMIT_PRO_MINUTE: '1000000',
      });
      client = await Client.of(service);
      const { key } = await aKey(client);
      const running = traffic(4, newsOf(key));
      proxy.delay(400);
      await client.line('Redis cannot be used');
      // Several probes, each of which is answered, but late.
      await setTimeout(2_000);
      expect([lines('Redis cannot be used'), lines('Redis can be used again')]).to.deep.equal([1, 0]);
      proxy.delay(0);
      await client.line('Redis can be used again');
      expect(Object.keys(await running.stop())).to.deep.equal(['news 200']);
    } finally {
      await service.stop();
      await proxy.stop();
    }
  });

  it('starts without Redis, is degraded at /readyz, and uses Redis when it returns', async () => {
    await service.stop();
    await redis.kill();
    service = await startService({ DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: redis.url });
    client = await Client.of(service);
    expect(await ready(client)).to.deep.equal([200, 'degraded']);
    await client.line('Redis cannot be used');
    const { key } = await aKey(client);
    expect((await client.news(key)).status).to.equal(200);
    await redis.restart();
    await client.line('Redis can be used again');
    expect(await ready(client)).to.deep.equal([200, 'ready']);
    expect((await client.news(key)).status).to.equal(200);
  });
});
