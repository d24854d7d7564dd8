import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { summaryOf, type Tally, traffic } from '../../support/load/traffic.js';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { type SilentProxy, startSilentProxy } from '../../support/servers/silent-proxy.js';
import { serverUrl } from '../../support/servers/stores.js';
import { advance, aKey, type KeyView, publishAll } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import {
  type Instance,
  launchInstance,
  type Service,
  serviceOf,
} from '../../support/service/running-service.js';

/** 70 s is longer than a window of a minute and than every timeout: only `npm run test:deep` waits for it. */
const PAUSES_MS = [600, 1_200, 2_500, ...(process.env['DEEP'] ? [70_000] : [])];
const DAY_SECONDS = 86_400;
const CALLERS = 8;
/** A request that is sent later than this after a revocation is not served. */
const REVOKED_WITHIN_MS = 1_500;

/** The quotas of a day, because its window does not end during a test. Only the larger one is leased in advance (D35). */
const QUOTAS = { free: 200, pro: 2_000 } as const;

const admitted = (...tallies: readonly Tally[]): number =>
  tallies.reduce((sum, tally) => sum + (tally['news 200']?.count ?? 0), 0);

/** T17: a stopped process finds all its timers due, and its Redis connections silent, when it continues. */
describe('An instance that was paused', function () {
  this.timeout(120_000);
  let redis: TestRedis;
  /** Between Redis and the instance that is paused. */
  let proxy: SilentProxy;
  let service: Service;
  let client: Client;
  before(async () => {
    redis = await startTestRedis();
    proxy = await startSilentProxy(redis.url);
    const settings = {
      DATABASE_URL: await freshDatabase(serverUrl()),
      RATE_LIMIT_FREE_MINUTE: '1000000',
      RATE_LIMIT_FREE_DAY: String(QUOTAS.free),
      RATE_LIMIT_BUILDER_MINUTE: '1000000',
      RATE_LIMIT_BUILDER_DAY: '1000000',
      RATE_LIMIT_PRO_MINUTE: '1000000',
      RATE_LIMIT_PRO_DAY: String(QUOTAS.pro),
    };
    const urls = [proxy.url, redis.url];
    const launched = urls.map((REDIS_URL) => launchInstance({ ...settings, REDIS_URL }).listening);
    service = serviceOf(...(await Promise.all(launched)));
    client = await Client.of(service);
    await publishAll(client, [publication({ id: 'a' })]);
    const now = await advance(client, 0);
    const secondOfDay = (Date.parse(now) / 1_000) % DAY_SECONDS;
    await advance(client, Math.ceil(DAY_SECONDS - secondOfDay));
  });
  after(async () => {
    for (const { process } of service.instances) process.kill('SIGCONT');
    await service.stop();
    await proxy.stop();
    await redis.stop();
  });

  const one = (n: 0 | 1): Instance => service.instances[n] ?? expect.fail('there are two instances');
  const trafficOn = (n: 0 | 1, key: string, refusedMs = 0) => {
    const headers = { 'X-API-Key': key };
    return traffic(
      CALLERS,
      () => ({ url: `${one(n).url}/pm/v2/news?limit=1`, headers, kind: 'news' }),
      refusedMs,
    );
  };

  /** Pauses one instance under traffic while the other one uses up the quota. Returns the admitted requests of both. */
  const admittedWithPause = async (plan: keyof typeof QUOTAS, ms: number, meanwhile: () => void) => {
    const { key } = await aKey(client, plan);
    // The other one asks less often when the quota is used up: many refusals prove no more than a few.
    const [paused, other] = [trafficOn(0, key), trafficOn(1, key, 20)];
    await Promise.all([paused.more(QUOTAS[plan] / 20), other.more(QUOTAS[plan] / 20)]);
    one(0).process.kill('SIGSTOP');
    meanwhile();
    await Promise.all([setTimeout(ms), other.more(QUOTAS[plan])]);
    one(0).process.kill('SIGCONT');
    await paused.more(QUOTAS[plan]);
    const tallies = await Promise.all([paused.stop(), other.stop()]);
    console.log(`      ${tallies.map(summaryOf).join('; other: ')}`);
    return admitted(...tallies);
  };

  for (const plan of ['free', 'pro'] as const) {
    for (const ms of PAUSES_MS) {
      it(`admits no request beyond a limit of ${QUOTAS[plan]} that the other one used up in ${ms} ms (D35)`, async () => {
        const count = await admittedWithPause(plan, ms, () => {});
        expect(count).to.be.within(QUOTAS[plan] * 0.9, QUOTAS[plan]);
      });

      it(`does not either if its connections to Redis were closed meanwhile: ${QUOTAS[plan]}, ${ms} ms`, async () => {
        const count = await admittedWithPause(plan, ms, () => proxy.cut());
        expect(count).to.be.within(QUOTAS[plan] * 0.9, QUOTAS[plan]);
      });
    }
  }

  /** Directly on the other instance: the paused one does not receive the invalidation now. */
  const revoke = async (keyId: string) => {
    const { status } = await send(`${one(1).internalUrl}/internal/v1/keys/${keyId}/revoke`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${service.tokens.operator}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ cause: 'manual', reason: 'a test' }),
    });
    expect(status).to.equal(200);
  };

  const expectNoneServed = async ({ key, key_id }: KeyView, ms: number, meanwhile: () => void) => {
    const before = trafficOn(0, key);
    await before.more(100);
    one(0).process.kill('SIGSTOP');
    meanwhile();
    const wakes = setTimeout(ms).then(() => one(0).process.kill('SIGCONT'));
    await revoke(key_id);
    await setTimeout(REVOKED_WITHIN_MS);
    const after = trafficOn(0, key);
    await Promise.all([wakes, after.more(20 * CALLERS)]);
    const tallies = await Promise.all([before.stop(), after.stop()]);
    console.log(`      ${tallies.map(summaryOf).join('; after 1.5 s: ')}`);
    expect(tallies[1]['news 200']?.count ?? 0).to.equal(0);
    expect(tallies[1]['news 401']?.count).to.be.at.least(CALLERS);
  };

  for (const ms of PAUSES_MS) {
    it(`serves no request sent 1.5 s after the other one revoked its key, in a pause of ${ms} ms (D39)`, async () => {
      await expectNoneServed(await aKey(client, 'builder'), ms, () => {});
    });
  }

  describe('and whose connections to Redis were closed meanwhile, so that the invalidation is lost,', () => {
    const keys = new Map<number, KeyView>();
    before(async () => {
      // Before the first invalidation is lost: after that, the client waits for it without end.
      for (const ms of PAUSES_MS) keys.set(ms, await aKey(client, 'builder'));
    });

    for (const ms of PAUSES_MS) {
      it(`serves no request sent 1.5 s after the other one revoked its key, in a pause of ${ms} ms (D39)`, async () => {
        const key = keys.get(ms) ?? expect.fail('each pause has a key');
        await expectNoneServed(key, ms, () => proxy.cut());
      });
    }
  });
});
