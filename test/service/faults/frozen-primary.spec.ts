import { expect } from 'chai';
import { changesOn, type FailoverTraffic, failoverTraffic } from '../../support/load/failover-traffic.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { type Standby, startStandby } from '../../support/servers/standby.js';
import { LOGGED_STATEMENTS, loggedStatements } from '../../support/servers/statement-log.js';
import { administer } from '../../support/servers/write-faults.js';
import { account } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import {
  type Instance,
  launchInstance,
  type Service,
  serviceOf,
} from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const FIRST_WRITE_WITHIN_MS = 3_000;
const WORKERS = 2;
/** What a heartbeat asks on a new session, to find the primary. */
const PROBES = /^select (?:pg_is_in_recovery\(\)|system_identifier)/;
const OPEN =
  "select from pg_stat_activity where application_name = 'oddswire' and query !~ '^\\s*select system_identifier'";

/** The former primary is the first host of the URL: the service must prefer the other one all the same. */
describe('A primary that is frozen, and thawed after its standby was promoted (D75)', function () {
  this.timeout(60_000);
  let former: TestPostgres;
  let standby: Standby;
  let redis: TestRedis;
  let instance: Instance;
  let service: Service;
  let traffic: FailoverTraffic;
  before(async () => {
    former = await startTestPostgres({ durable: true, settings: LOGGED_STATEMENTS });
    redis = await startTestRedis();
    standby = await startStandby(former);
    const { username, password, host, pathname } = new URL(former.url);
    const both = `postgres://${username}:${password}@${host},${new URL(standby.url).host}${pathname}`;
    const settings = { DATABASE_URL: both, REDIS_URL: redis.url, WEB_CONCURRENCY: String(WORKERS) };
    instance = await launchInstance(settings).listening;
    service = serviceOf(instance);
    const holder = await account(await Client.of(service));
    traffic = failoverTraffic(service, instance, { name: 'item', account: holder });
  });
  after(async () => {
    await traffic?.stop();
    await service?.stop();
    await Promise.all([standby?.stop(), redis?.stop()]);
    await former?.stop();
  });

  it('is left within 3 s of the promotion by all workers, and gets no statement afterwards', async () => {
    const { published, revoked } = traffic;
    await until(true, () => published.length > 20);
    await former.freeze();
    await standby.promote();
    const promotedAt = performance.now();
    const later = () => published.filter(({ begunAt }) => begunAt > promotedAt);
    await until(true, () => later().length > 0);
    const firstMs = Math.round((later()[0]?.endedAt ?? 0) - promotedAt);
    await instance.line('the primary is now at another host', WORKERS);
    await former.thaw();
    // What was sent while it was frozen is done first.
    await until(0, async () => (await administer(former.url, [OPEN])).length);
    const before = loggedStatements(former).length;
    const since = () => loggedStatements(former).slice(before);
    const count = published.length;
    await until(true, () => published.length > count + 20);
    await until(true, () => since().filter((text) => PROBES.test(text)).length >= 4 * WORKERS);
    await traffic.stop();
    const statements = since().filter((text) => !PROBES.test(text) && !text.includes('pg_stat_activity'));
    expect(statements).to.deep.equal([]);
    const stored = await changesOn(standby.url);
    const lost = [...later(), ...revoked.filter(({ begunAt }) => begunAt > promotedAt)];
    expect(lost.filter(({ name }) => !stored.has(name))).to.deep.equal([]);
    console.log(
      `      first write ${firstMs} ms after the promotion; ${published.length} publications acknowledged, ${later().length} after it`,
    );
    expect(firstMs).to.be.below(FIRST_WRITE_WITHIN_MS);
  });
});
