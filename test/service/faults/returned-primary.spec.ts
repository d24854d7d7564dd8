import { expect } from 'chai';
import {
  type Acknowledged,
  changesOn,
  type FailoverTraffic,
  failoverTraffic,
} from '../../support/load/failover-traffic.js';
import { publication } from '../../support/objects/builders.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { type SilentProxy, startSilentProxy } from '../../support/servers/silent-proxy.js';
import { promoteAgain, type Standby, startStandby } from '../../support/servers/standby.js';
import { LOGGED_STATEMENTS, loggedStatements } from '../../support/servers/statement-log.js';
import { account, aKey, type KeyView } from '../../support/service/api-calls.js';
import { Client, type Reply, send } from '../../support/service/client.js';
import {
  type Instance,
  launchInstance,
  type Service,
  serviceOf,
} from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const ONLY_FORMER =
  'new sessions reach only a former primary (timeline 1, the current one is 2), which is not used: ' +
  'lead DATABASE_URL to the server of timeline 2; if it is lost, promote a server, or stop all instances, then start them';
/** The first statements of each session, before the service uses it. */
const PROBE = /^select (?:pg_is_in_recovery\(\)|system_identifier)/;
/** Statements of refused sessions. The three instances try again several times a second. */
const PROBES = 30;

/**
 * In a trial, Patroni made a frozen leader the leader again, and rebuilt the promoted server from it. The first instance names both
 * servers, and the others use a proxy. The third one has no Redis: it neither sends nor receives timelines.
 */
describe('A former primary that is the only server, because the promoted one is lost (D75)', function () {
  this.timeout(60_000);
  let former: TestPostgres;
  let standby: Standby;
  let redis: TestRedis;
  let proxy: SilentProxy;
  let settings: readonly Readonly<Record<string, string>>[];
  let instances: readonly [Instance, Instance, Instance];
  let service: Service;
  let key: KeyView;
  let traffic: readonly FailoverTraffic[] = [];
  before(async () => {
    former = await startTestPostgres({ durable: true, settings: LOGGED_STATEMENTS });
    redis = await startTestRedis();
    standby = await startStandby(former);
    proxy = await startSilentProxy(former.url);
    const { username, password, host, pathname } = new URL(former.url);
    const both = `postgres://${username}:${password}@${host},${new URL(standby.url).host}${pathname}`;
    settings = [
      { DATABASE_URL: both, REDIS_URL: redis.url },
      { DATABASE_URL: proxy.url, REDIS_URL: redis.url },
      { DATABASE_URL: proxy.url },
    ];
    const started = settings.map((each) => launchInstance(each).listening);
    instances = (await Promise.all(started)) as [Instance, Instance, Instance];
    service = serviceOf(...instances);
    // It waits for invalidations over Redis, which the third instance does not get.
    const client = await Client.of(serviceOf(instances[0], instances[1]));
    key = await aKey(client);
    const holder = await account(client);
    traffic = instances.map((instance, i) =>
      failoverTraffic(service, instance, { name: `item-${i}`, account: holder }),
    );
  });
  after(async () => {
    await Promise.all(traffic.map(({ stop }) => stop()));
    await service?.stop();
    await proxy?.stop();
    await Promise.all([standby?.stop(), redis?.stop()]);
    await former?.stop();
  });

  const publish = ({ internalUrl }: Instance, id: string): Promise<Reply> =>
    send(`${internalUrl}/internal/v1/news`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${service.tokens.publisher}`,
        'Content-Type': 'application/x-ndjson',
      },
      body: JSON.stringify(publication({ id })),
    });
  const statusOf = async ({ url }: Instance) =>
    (await send(`${url}/pm/v2/news?limit=1`, { headers: { 'X-API-Key': key.key } })).status;
  const readyz = async ({ internalUrl }: Instance) => (await send(`${internalUrl}/readyz`, {})).text;
  const acknowledgedAfter = (time: number): readonly Acknowledged[] =>
    traffic.flatMap((each) => [...each.published, ...each.revoked]).filter(({ begunAt }) => begunAt > time);
  const publishedMore = async () => {
    const counts = traffic.map((each) => each.published.length);
    await until(true, () => traffic.every((each, i) => each.published.length > (counts[i] ?? 0) + 10));
  };

  it('gets no statement and no write, and the log and /readyz name both timelines and the remedy', async () => {
    await publishedMore();
    await former.kill();
    await standby.promote();
    proxy.redirect(standby.url);
    await publishedMore();
    // After the promotion, because an instance drops its copies if the new primary lacks changes (D45).
    for (const instance of instances) await until(200, () => statusOf(instance));
    await standby.stop();
    const lostAt = performance.now();
    const before = loggedStatements(former).length;
    await former.restart();
    proxy.redirect(former.url);
    await Promise.all(instances.map(({ line }) => line(ONLY_FORMER)));
    const since = () => loggedStatements(former).slice(before);
    await until(true, () => since().filter((text) => PROBE.test(text)).length >= PROBES);
    for (const instance of instances) {
      expect(await readyz(instance)).to.include(ONLY_FORMER);
      expect((await publish(instance, 'refused')).status).to.equal(503);
      // From its copy, once it knows that it cannot use Postgres (D35).
      await until(200, () => statusOf(instance));
    }
    await Promise.all(traffic.map(({ stop }) => stop()));
    expect(acknowledgedAfter(lostAt)).to.deep.equal([]);
    expect(since().filter((text) => !PROBE.test(text))).to.deep.equal([]);
  });

  it('is refused by an instance that starts while another one runs, because that one announces the timeline', async () => {
    const [, second] = instances;
    await second.stop();
    const started = launchInstance(settings[1] ?? {});
    // In the log of a running instance, or as the reason for which its start waits.
    await started.line('a former primary (timeline 1, the current one is 2)');
    await started.stop();
  });

  it('is used after all instances that share a Redis were stopped and started', async () => {
    const [first, , third] = instances;
    await first.stop();
    const started = await launchInstance(settings[0] ?? {}).listening;
    expect((await publish(started, 'after-restart')).status).to.equal(200);
    expect(await changesOn(former.url)).to.include('after-restart');
    // An instance that was not stopped still knows the greater timeline.
    expect((await publish(third, 'refused')).status).to.equal(503);
    await started.stop();
  });

  it('is used without a restart after its promotion', async () => {
    const [, , third] = instances;
    await promoteAgain(former);
    await until(200, async () => (await publish(third, 'after-promotion')).status);
    const stored = await changesOn(former.url);
    expect(stored).to.include('after-promotion');
    expect(stored).not.to.include('refused');
    expect(await readyz(third)).not.to.include('former primary');
  });
});
