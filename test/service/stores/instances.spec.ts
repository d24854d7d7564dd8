import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { serverUrl } from '../../support/servers/stores.js';
import {
  aKey,
  ids,
  type KeyView,
  ndjson,
  ready,
  startOfMinute,
  unique,
} from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { type Instance, type Service, startService } from '../../support/service/running-service.js';

/** Large enough for permit leases. */
const PRO_QUOTA = 1_200;

/** D39 and D43: several instances on one Postgres and one Redis act as one service. */
describe('Two instances', function () {
  this.timeout(60_000);
  let redis: TestRedis;
  let service: Service;
  let client: Client;
  before(async () => {
    redis = await startTestRedis();
    const stores = { DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: redis.url };
    service = await startService({ ...stores, RATE_LIMIT_PRO_MINUTE: String(PRO_QUOTA) }, 2);
    client = await Client.of(service);
  });
  after(async () => {
    await service.stop();
    await redis.stop();
  });

  const one = (n: 0 | 1): Instance => {
    const instance = service.instances[n];
    if (instance === undefined) throw new Error('there are two instances');
    return instance;
  };
  const operate = (n: 0 | 1, path: string, body: object) =>
    send(`${one(n).internalUrl}/internal/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.tokens.operator}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const status = async (n: 0 | 1, key: string) =>
    (await send(`${one(n).url}/pm/v2/news?limit=1`, { headers: { 'X-API-Key': key } })).status;

  /** Milliseconds from a change on one instance until the other answers with the expected status. */
  async function until(expected: number, key: string, change: () => Promise<{ readonly status: number }>) {
    expect((await change()).status).to.equal(200);
    const at = performance.now();
    // The pause keeps the polling below the rate limit of the key.
    while ((await status(1, key)) !== expected) await new Promise((done) => setTimeout(done, 5));
    return Math.round(performance.now() - at);
  }

  const newKey = async (): Promise<KeyView> => {
    const opened = await operate(0, '/accounts', { email: `${unique()}@example.org`, plan: 'pro' });
    const { account_id } = JSON.parse(opened.text) as { readonly account_id: string };
    return JSON.parse((await operate(0, `/accounts/${account_id}/keys`, {})).text) as KeyView;
  };

  it('accept a key immediately after the other instance issued it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { account } = await aKey(client, 'pro');
      const issued = await operate((round % 2) as 0 | 1, `/accounts/${account}/keys`, {});
      const { key } = JSON.parse(issued.text) as KeyView;
      expect(await status(((round + 1) % 2) as 0 | 1, key)).to.equal(200);
    }
  });

  it('together admit exactly 60 of 200 concurrent requests (D35)', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { key } = await aKey(client, 'free');
      await startOfMinute(client);
      const replies = await Promise.all(Array.from({ length: 200 }, () => client.news(key, '?limit=1')));
      expect(replies.filter((reply) => reply.status === 200)).to.have.length(60);
      expect(replies.filter((reply) => reply.status === 429)).to.have.length(140);
    }
  });

  it('together admit exactly the quota when they lease permits (D35)', async () => {
    const { key } = await aKey(client, 'pro');
    await startOfMinute(client);
    const ask = async (times: number) => {
      const replies = await Promise.all(Array.from({ length: times }, () => client.news(key, '?limit=1')));
      return replies.filter((reply) => reply.status === 200).length;
    };
    let admitted = 0;
    // Permits in a lease of one instance are unavailable to the other until the lease expires.
    for (let asked = 0; admitted < PRO_QUOTA && asked < 10 * PRO_QUOTA; asked += 100)
      admitted += await ask(100);
    expect(admitted).to.equal(PRO_QUOTA);
    expect(await ask(100)).to.equal(0);
  });

  it('store every item of four concurrent publishers, in one order (D6, D7)', async () => {
    const { key } = await aKey(client);
    const since = (await client.news(key, '?limit=1')).headers['feed-head'];
    const published = await Promise.all(
      [0, 1, 2, 3].map(async (publisher) => {
        const mine: string[] = [];
        for (let batch = 0; batch < 10; batch += 1) {
          const items = Array.from({ length: 20 }, () => publication({ id: `p${publisher}-${unique()}` }));
          const reply = await send(`${one((publisher % 2) as 0 | 1).internalUrl}/internal/v1/news`, {
            method: 'POST',
            headers: {
              Authorization: `Bearer ${service.tokens.publisher}`,
              'Content-Type': 'application/x-ndjson',
            },
            body: ndjson(items),
          });
          expect(JSON.parse(reply.text)).to.deep.equal({ accepted: 20, unchanged: 0, rejected: [] });
          mine.push(...items.map((item) => item.news_event.id));
        }
        return mine;
      }),
    );
    await client.publishedByAll();
    const walk = async () => {
      const seen: string[] = [];
      const bound = since === undefined ? '' : `&since=${since}`;
      for (let cursor: string | null = ''; cursor !== null; ) {
        const reply = await client.news(key, `?limit=50${bound}${cursor === '' ? '' : `&cursor=${cursor}`}`);
        seen.push(...ids(reply));
        cursor = (reply.json as { readonly next_cursor: string | null }).next_cursor;
      }
      return seen;
    };
    const seen = await walk();
    expect(seen.filter((id) => id.startsWith('p'))).to.have.members(published.flat());
    expect(await walk()).to.deep.equal(seen);
    for (const mine of published) {
      expect(seen.filter((id) => mine.includes(id)).reverse()).to.deep.equal(mine);
    }
  });

  it('see each other’s changes within 1.5 s while Redis is unavailable (D39)', async () => {
    const keys = await Promise.all([newKey(), newKey(), newKey()]);
    const [toHold, toRelease, toRevoke] = keys as [KeyView, KeyView, KeyView];
    expect((await operate(0, `/keys/${toRelease.key_id}/hold`, { reason: 'test' })).status).to.equal(200);
    await redis.kill();
    await Promise.all([0, 1].map((n) => one(n as 0 | 1).line('Redis cannot be used')));
    for (const { key } of keys) await status(1, key);
    const change =
      ({ key_id }: KeyView, verb: string, body: object) =>
      () =>
        operate(0, `/keys/${key_id}/${verb}`, body);
    const [hold, release, revocation] = await Promise.all([
      until(402, toHold.key, change(toHold, 'hold', { reason: 'test' })),
      until(200, toRelease.key, change(toRelease, 'release', { reason: 'test' })),
      until(401, toRevoke.key, change(toRevoke, 'revoke', { cause: 'manual' })),
    ]);
    console.log(`      without Redis: ${JSON.stringify({ hold, release, revocation })} ms`);
    for (const millis of [hold, release, revocation]) expect(millis).to.be.at.most(1_500);
    await redis.restart();
    await Promise.all([0, 1].map((n) => one(n as 0 | 1).line('Redis can be used again')));
    expect(await ready(client)).to.deep.equal([200, 'ready']);
  });
});

describe('A second instance on one Postgres without Redis', () => {
  it('causes a warning until it stops (D43)', async function () {
    this.timeout(30_000);
    const service = await startService({ DATABASE_URL: await freshDatabase(serverUrl()) }, 2);
    const client = await Client.of(service);
    const [first, second] = service.instances;
    await Promise.all([first, second].map((instance) => instance?.line('without REDIS_URL')));
    expect(await ready(client)).to.deep.equal([200, 'degraded']);
    await second?.stop();
    await first?.line('instances: 1 on this database');
    await service.stop();
  });

  it('gets invalidations through Postgres (D39)', async () => {
    const service = await startService({ DATABASE_URL: await freshDatabase(serverUrl()) }, 2);
    const client = await Client.of(service);
    const { key, key_id } = await aKey(client);
    for (const _ of [1, 2]) expect((await client.news(key)).status).to.equal(200);
    await client.operate('POST', `/internal/v1/keys/${key_id}/hold`, { reason: 'test' });
    for (const _ of [1, 2]) expect((await client.news(key)).status).to.equal(402);
    await service.stop();
  });
});
