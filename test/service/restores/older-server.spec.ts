import { inspect } from 'node:util';
import { expect } from 'chai';
import { PostgresChangeLogs } from '../../../src/adapters/postgres/postgres-change-logs.js';
import { backupOf } from '../../support/dumps/backup.js';
import { publication } from '../../support/objects/builders.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { type SilentProxy, startSilentProxy } from '../../support/servers/silent-proxy.js';
import { type Standby, startStandby } from '../../support/servers/standby.js';
import { administer } from '../../support/servers/write-faults.js';
import { aKey, ids, page, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { olderStates, pollersOf, type Queries, untilRebuilt } from '../../support/service/older-state.js';
import { launchInstance, type Service, serviceOf } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const REBUILT_WITHIN_MS = 2_000;
const HOT = 150;
const NEWEST = 100;
const KEPT = 200;
const RETRACTED = 'kept-190';
const LOST = 50;
/** Each takes up to 1 s, the deadline of a session. Meanwhile every copy reads the log two times or more (D45). */
const ANSWERS_OF_STANDBY = 4;
/** In the past: the service then assigns the first free time above the head. */
const EARLY = '2026-03-01T12:00:00Z';

describe('Another server with an older state, at the address of the database (D45)', function () {
  this.timeout(60_000);
  let primary: TestPostgres;
  let redis: TestRedis;
  /** Between the primary and its standby. */
  let replication: SilentProxy;
  let standby: Standby;
  /** The address of the database in the settings. */
  let address: SilentProxy;
  let logs: PostgresChangeLogs;
  let service: Service;
  let client: Client;
  let key: string;
  let queries: Queries;
  before(async () => {
    [primary, redis] = await Promise.all([startTestPostgres({ durable: true }), startTestRedis()]);
    [address, replication] = [await startSilentProxy(primary.url), await startSilentProxy(primary.url)];
    standby = await startStandby({ ...primary, url: replication.url });
    const settings = {
      DATABASE_URL: address.url,
      REDIS_URL: redis.url,
      HOT_ITEMS: String(HOT),
      RATE_LIMIT_PRO_MINUTE: '1000000',
      RATE_LIMIT_PRO_DAY: '1000000',
    };
    service = serviceOf(...(await Promise.all([0, 1].map(() => launchInstance(settings).listening))));
    client = await Client.of(service);
    logs = new PostgresChangeLogs(address.url);
    ({ key } = await aKey(client));
    await publishAll(
      client,
      Array.from({ length: KEPT }, (_, i) => publication({ id: `kept-${i}` })),
    );
    const { next_cursor } = page(await client.news(key, `?limit=${HOT + 10}`));
    queries = { newest: `?limit=${NEWEST}`, older: `?limit=5&cursor=${next_cursor}` };
  });
  after(async () => {
    await service.stop();
    await Promise.all([logs.close(), address.stop(), redis.stop()]);
    await standby.stop();
    await primary.stop();
  });

  /** Tries again while Postgres is slow to answer: the start of another server can occupy the machine. */
  const change = async (name: string, count: number) => {
    await until(true, async () => (await client.retract(RETRACTED)).status !== 503);
    for (let i = 0; i < count; i += 1) {
      const line = JSON.stringify(publication({ id: `${name}-${i}` }));
      await until(200, async () => (await client.publish(line)).status);
    }
  };
  /** Expects that both instances show an item that is published now, and that it is above a head that clients have seen. */
  const expectPublished = async (seen: string, id: string) => {
    const line = JSON.stringify(publication({ id, scored_at: EARLY }));
    await until(200, async () => (await client.publish(line)).status);
    for (const _ of service.instances) expect(ids(await client.news(key, `?since=${seen}`))).to.include(id);
  };

  it('is noticed if it is a standby that lacks the last 50 publications, when it is promoted', async () => {
    await standby.caughtUp();
    const kept = await logs.newest();
    await replication.stop();
    await change('lost', LOST);
    const lost = await logs.newest();
    const pollers = pollersOf(service.instances, key, queries);
    await pollers.more(20);
    await primary.stop();
    address.redirect(standby.url);
    // It may still replay them, so the instances do not rebuild their copies yet.
    await until('unreadable', () => logs.newest().then(inspect, () => 'unreadable'));
    await pollers.more(20, ANSWERS_OF_STANDBY);
    const seen = pollers.head();
    expect((await client.publish(JSON.stringify(publication()))).status).to.equal(503);
    expect(service.instances.map(olderStates)).to.deep.equal([0, 0]);
    await standby.promote();
    const rebuiltMs = await untilRebuilt(logs, service.instances);
    await until('changes', async () => {
      const read = await logs.readAfter(kept);
      return read.found === 'changes' && read.feed.some(({ kind }) => kind === 'raised')
        ? 'changes'
        : read.found;
    });
    await expectPublished(seen, 'after-promotion');
    await pollers.more(20);
    await pollers.stop();
    console.log(`      both copies were rebuilt after ${rebuiltMs} ms; ${pollers.summary()}`);
    expect(rebuiltMs).to.be.below(REBUILT_WITHIN_MS);
    pollers.expectOneState({ before: 'lost-0', after: RETRACTED });
    expect(service.instances.map(olderStates)).to.deep.equal([1, 1]);
    expect((await logs.readAfter(lost)).found).to.equal('older state');
  });

  it('is noticed if it is a new server with a restored dump', async () => {
    const dump = await backupOf(standby.url);
    const restored = await startTestPostgres({ isUnrelated: true });
    try {
      await dump.restore(restored.url);
      await administer(restored.url, [`alter role postgres password '${new URL(address.url).password}'`]);
      await change('lost-2', 5);
      const pollers = pollersOf(service.instances, key, queries);
      await pollers.more(20);
      await standby.stop();
      address.redirect(restored.url);
      const rebuiltMs = await untilRebuilt(logs, service.instances);
      await expectPublished(pollers.head(), 'on-new-server');
      await pollers.more(20);
      await pollers.stop();
      console.log(`      both copies were rebuilt after ${rebuiltMs} ms; ${pollers.summary()}`);
      expect(rebuiltMs).to.be.below(REBUILT_WITHIN_MS);
      pollers.expectOneState({ before: 'lost-2-0', after: RETRACTED });
      expect(service.instances.map(olderStates)).to.deep.equal([2, 2]);
    } finally {
      await service.stop();
      await restored.stop();
    }
  });
});
