import { expect } from 'chai';
import {
  changesOn,
  type FailoverTraffic,
  failoverTraffic,
  operateOn,
} from '../../support/load/failover-traffic.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { type SilentProxy, startSilentProxy } from '../../support/servers/silent-proxy.js';
import { type Standby, startStandby } from '../../support/servers/standby.js';
import { account, aKey, type KeyView } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import {
  type Instance,
  launchInstance,
  type Service,
  serviceOf,
} from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const FENCED = 'the sessions were with a former primary';
/** D39, if every message between the instances is lost. */
const REVOKED_WITHIN_MS = 1_500;

/**
 * Each instance has a proxy of its own, which keeps open sessions with the former primary, as a virtual IP or a name does. That of
 * the second instance does not notice the failover at first: this instance learns of it from the other one only.
 */
describe('A former primary that stays reachable and accepts writes (D75)', function () {
  this.timeout(60_000);
  let former: TestPostgres;
  let standby: Standby;
  let redis: TestRedis;
  let proxies: readonly [SilentProxy, SilentProxy];
  let service: Service;
  let client: Client;
  let first: Instance;
  let second: Instance;
  before(async () => {
    [former, redis] = await Promise.all([startTestPostgres({ durable: true }), startTestRedis()]);
    standby = await startStandby(former);
    proxies = [await startSilentProxy(former.url), await startSilentProxy(former.url)];
    const started = proxies.map(({ url }) => launchInstance({ DATABASE_URL: url, REDIS_URL: redis.url }));
    [first, second] = (await Promise.all(started.map(({ listening }) => listening))) as [Instance, Instance];
    service = serviceOf(first, second);
    client = await Client.of(service);
  });
  after(async () => {
    await service?.stop();
    for (const proxy of proxies ?? []) await proxy.stop();
    await Promise.all([standby?.stop(), redis?.stop()]);
    await former?.stop();
  });

  it('acknowledges nothing there after one session has reached the new primary, and tells the other instance', async () => {
    const holder = await account(client);
    const key = await aKey(client);
    for (const instance of [first, second]) expect(await statusOf(instance, key)).to.equal(200);
    const traffic = [first, second].map((instance, i) =>
      failoverTraffic(service, instance, { name: `item-${i}`, account: holder }),
    );
    await until(true, () => traffic.every(({ published }) => published.length > 20));
    await standby.promote();
    proxies[0].move(standby.url);
    const movedAt = performance.now();
    const fencedAt = await Promise.all(
      [first, second].map(({ line }) => line(FENCED).then(() => performance.now())),
    );
    // The second instance reaches the former primary only, and must not use it.
    await until(true, async () => (await readyz(second)).includes('timeline 1, the current one is 2'));
    await publishedMore(traffic[0], 20);
    // From its copy, once it knows that it cannot use Postgres (D35).
    await until(200, () => statusOf(second, key));
    const revokedMs = await revokedWithin(key);
    expect(revokedMs).to.be.below(REVOKED_WITHIN_MS);
    expect(await statusOf(first, key)).to.equal(401);
    proxies[1].move(standby.url);
    await publishedMore(traffic[1], 20);
    await until(401, () => statusOf(second, key));
    await Promise.all(traffic.map(({ stop }) => stop()));
    const stored = await changesOn(standby.url);
    const counts = traffic.map(({ published, revoked }, i) => {
      const lost = [...published, ...revoked].filter(({ name }) => !stored.has(name));
      // What was asked for afterwards. The log line may arrive after the answer to an earlier request.
      expect(lost.filter(({ begunAt }) => begunAt > (fencedAt[i] ?? 0))).to.deep.equal([]);
      const wrong = lost.filter(({ begunAt }) => begunAt > movedAt).length;
      return `${published.length} publications and ${revoked.length} revocations, ${wrong} on the former primary`;
    });
    const [seenMs, learnedMs] = fencedAt.map((at) => Math.round(at - movedAt));
    console.log(
      `      the proxy moved: one instance noticed it after ${seenMs} ms, and the other one learned it after ${learnedMs} ms; a key was ` +
        `revoked within ${Math.round(revokedMs)} ms; acknowledged: ${counts.join('; ')}`,
    );
  });

  const readyz = async ({ internalUrl }: Instance) => (await send(`${internalUrl}/readyz`, {})).text;
  const statusOf = async ({ url }: Instance, { key }: KeyView) =>
    (await send(`${url}/pm/v2/news?limit=1`, { headers: { 'X-API-Key': key } })).status;
  const publishedMore = async (traffic: FailoverTraffic | undefined, count: number) => {
    const before = traffic?.published.length ?? 0;
    await until(true, () => (traffic?.published.length ?? 0) >= before + count);
  };
  /** Revokes a key through the first instance. Returns the milliseconds until it does not work on the second one. */
  const revokedWithin = async (key: KeyView) => {
    const revoked = await operateOn(first, service, `/keys/${key.key_id}/revoke`, { cause: 'manual' });
    expect(revoked.status).to.equal(200);
    const from = performance.now();
    await until(false, async () => (await statusOf(second, key)) === 200);
    return performance.now() - from;
  };
});
