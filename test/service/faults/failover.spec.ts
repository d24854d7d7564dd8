import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { type Standby, startStandby } from '../../support/servers/standby.js';
import { administer } from '../../support/servers/write-faults.js';
import { aKey } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { launchInstance, type Service, serviceOf } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const FIRST_WRITE_WITHIN_MS = 3_000;

/** Two instances that know both servers. The standby confirms each commit, so that nothing acknowledged can be missing there. */
describe('A database URL with several hosts (D75)', function () {
  this.timeout(60_000);
  let primary: TestPostgres;
  let standby: Standby;
  let service: Service;
  let client: Client;
  let both: string;
  before(async () => {
    primary = await startTestPostgres({ durable: true });
    standby = await startStandby(primary);
    await administer(primary.url, [
      "alter system set synchronous_standby_names = '*'",
      'select pg_reload_conf()',
    ]);
    const { username, password, pathname } = new URL(primary.url);
    const { host: first } = new URL(standby.url);
    const { host: second } = new URL(primary.url);
    // The standby comes first: the service must not use it.
    both = `postgres://${username}:${password}@${first},${second}${pathname}?target_session_attrs=read-write`;
    const settings = { DATABASE_URL: both, RATE_LIMIT_PRO_MINUTE: '1000000' };
    service = serviceOf(...(await Promise.all([0, 1].map(() => launchInstance(settings).listening))));
    client = await Client.of(service);
  });
  after(async () => {
    await service?.stop();
    await standby?.stop();
    await primary?.stop();
  });

  it('is refused with one host that is a standby', async () => {
    const waiting = launchInstance({ DATABASE_URL: `${standby.url}?target_session_attrs=read-write` });
    expect(await waiting.line('waiting for Postgres')).to.include('is a standby');
    await waiting.stop();
  });

  it('keeps all that was acknowledged, and accepts writes within 3 s of the promotion', async () => {
    const { key, key_id: id } = await aKey(client);
    const acknowledged: string[] = [];
    let isPublishing = true;
    let promotedAt = Number.POSITIVE_INFINITY;
    let firstWriteMs = Number.POSITIVE_INFINITY;
    const publisher = async (name: number) => {
      for (let i = 0; isPublishing; i += 1) {
        const item = `item-${name}-${i}`;
        const begunAt = performance.now();
        const { status } = await client.publish(JSON.stringify(publication({ id: item })));
        expect([200, 503]).to.include(status);
        if (status !== 200) continue;
        acknowledged.push(item);
        if (begunAt >= promotedAt) firstWriteMs = Math.min(firstWriteMs, performance.now() - promotedAt);
      }
    };
    const publishers = [0, 1, 2, 3].map(publisher);
    await until(true, async () => acknowledged.length > 50);
    const revoked = await client.operate('POST', `/internal/v1/keys/${id}/revoke`, { cause: 'manual' });
    expect(revoked.status).to.equal(200);
    const before = acknowledged.length;
    await primary.kill();
    await standby.promote();
    promotedAt = performance.now();
    await until(true, async () => firstWriteMs < Number.POSITIVE_INFINITY);
    isPublishing = false;
    await Promise.all(publishers);
    const stored = new Set(await itemsOn(standby.url));
    const lost = acknowledged.filter((item) => !stored.has(item));
    console.log(
      `      ${acknowledged.length} publications acknowledged (${before} before the failover), ${lost.length} lost; ` +
        `first write ${Math.round(firstWriteMs)} ms after the promotion`,
    );
    expect(lost).to.deep.equal([]);
    expect(firstWriteMs).to.be.below(FIRST_WRITE_WITHIN_MS);
    for (const _ of service.instances) expect((await client.news(key)).status).to.equal(401);
    for (const { line } of service.instances) await line('the primary is now at another host');
  });
});

async function itemsOn(url: string): Promise<readonly string[]> {
  const { default: pg } = await import('pg');
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  const { rows } = await reader.query<{ id: string }>('select distinct item_id as id from feed_change');
  await reader.end();
  return rows.map(({ id }) => id);
}
