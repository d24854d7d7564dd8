import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { publication } from '../../support/objects/builders.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { mountSmallDisk, type SmallDisk } from '../../support/servers/small-disk.js';
import { redisUrl } from '../../support/servers/stores.js';
import { administer } from '../../support/servers/write-faults.js';
import { aKey, metric, problem, ready } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** A new database with two WAL segments takes about 75 MB. */
const DISK_MB = 160;

describe('Postgres on a full disk', function () {
  this.timeout(60_000);
  let disk: SmallDisk;
  let postgres: TestPostgres;
  let service: Service;
  let client: Client;
  before(async function () {
    const mounted = mountSmallDisk(DISK_MB);
    if (mounted === null) {
      console.log('      SKIPPED: a full disk is not tested here, because this user may not mount a tmpfs');
      return this.skip();
    }
    disk = mounted;
    postgres = await startTestPostgres({ durable: true, parent: disk.folder });
    service = await startService({ DATABASE_URL: postgres.url, REDIS_URL: redisUrl() });
    client = await Client.of(service);
  });
  after(async () => {
    await service?.stop();
    await postgres?.stop();
    disk?.unmount();
  });

  /** Publishes an item that needs new database pages: its text is incompressible. */
  const publishLarge = (id: string) => {
    const long_context = randomBytes(200_000).toString('base64');
    const { news_event, ...rest } = publication({ id });
    const item = { ...rest, news_event: { ...news_event, long_context } };
    return client.publish(JSON.stringify(item), '', 'application/json');
  };
  /** Waits for `count` more heartbeats of the instance: small writes that still succeed on a full disk. */
  const heartbeats = async (count: number) => {
    const seen = new Set<string>();
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    while (seen.size <= count) {
      const { rows } = await admin.query<{ at: string }>('select max(seen_at)::text as at from instance');
      seen.add(rows[0]?.at ?? '');
    }
    await admin.end();
  };
  const lines = (text: string) => client.outputs().filter((line) => line.includes(text)).length;

  it('causes 503 for publishers only, is logged once, and accepts items again after space is freed', async () => {
    const { key } = await aKey(client);
    expect((await publishLarge('before')).status).to.equal(200);
    // Starts a new WAL segment: a Postgres that cannot write its WAL stops, and this tests only data pages.
    await administer(postgres.url, ['checkpoint', 'select pg_switch_wal()', 'checkpoint']);
    disk.fill();
    for (let i = 0; i < 5; i += 1) {
      const refused = await publishLarge(`during-${i}`);
      expect([refused.status, problem(refused).code, refused.headers['retry-after']]).to.deep.equal([
        503,
        'unavailable',
        '1',
      ]);
    }
    await client.line('Postgres cannot be written to: its disk is full');
    await heartbeats(4);
    expect(await ready(client)).to.deep.equal([200, 'degraded']);
    expect(await metric(client, 'oddswire_dependency_writable{dependency="Postgres"}')).to.equal(0);
    expect((await client.news(key, '?limit=1')).status).to.equal(200);
    expect((await client.news(`svc_${randomBytes(32).toString('base64url')}`)).status).to.equal(401);
    disk.free();
    await client.line('Postgres accepts writes again');
    expect((await publishLarge('after')).json).to.deep.equal({ accepted: 1, unchanged: 0, rejected: [] });
    const changes = [
      'Postgres cannot be written to',
      'Postgres accepts writes again',
      'Postgres cannot be used',
    ];
    expect(changes.map(lines)).to.deep.equal([1, 1, 0]);
    expect(await ready(client)).to.deep.equal([200, 'ready']);
  });
});
