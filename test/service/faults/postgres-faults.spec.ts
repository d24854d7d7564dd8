import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { summaryOf, type Tally, traffic } from '../../support/load/traffic.js';
import { publication } from '../../support/objects/builders.js';
import { stripeEvent, stripeSubscription } from '../../support/objects/stripe-objects.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { redisUrl } from '../../support/servers/stores.js';
import { administer } from '../../support/servers/write-faults.js';
import { aKey, metric, problem, publishAll, ready } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { aCustomer, seconds } from '../../support/service/processor-customer.js';
import { launchInstance, type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

/** D35: without Postgres, cached keys and the newest items are served. Other requests are answered 503. */
describe('The service, while Postgres is unavailable,', function () {
  this.timeout(60_000);
  let postgres: TestPostgres;
  let service: Service;
  let client: Client;
  beforeEach(async () => {
    postgres = await startTestPostgres({ durable: true });
    service = await startService({
      DATABASE_URL: postgres.url,
      REDIS_URL: redisUrl(),
      RATE_LIMIT_PRO_MINUTE: '1000000',
    });
    client = await Client.of(service);
  });
  afterEach(async () => {
    await service.stop();
    await postgres.stop();
  });

  const lines = (text: string) => client.outputs().filter((line) => line.includes(text)).length;
  const unknownKey = () => `svc_${randomBytes(32).toString('base64url')}`;

  /** Every tenth request has an unknown key. */
  const mixed = (key: string) => (n: number) => ({
    url: `${service.instances[0]?.url}/pm/v2/news?limit=5`,
    headers: { 'X-API-Key': n % 10 === 0 ? unknownKey() : key },
    kind: n % 10 === 0 ? 'unknown key' : 'known key',
  });
  const countOf = (tally: Tally, kind: string) =>
    Object.entries(tally)
      .filter(([what]) => what.startsWith(kind))
      .reduce((sum, [, { count }]) => sum + count, 0);

  it('serves cached keys and answers 503 to others under load, while Postgres freezes, is killed and returns', async () => {
    await publishAll(client, [publication({ id: 'a' }), publication({ id: 'b' })]);
    const { key } = await aKey(client);
    const running = traffic(16, mixed(key));
    await running.more(1_000);
    await postgres.freeze();
    await client.line('Postgres cannot be used');
    await running.more(1_500);
    await postgres.thaw();
    await client.line('Postgres can be used again');
    await running.more(500);
    await postgres.kill();
    await client.line('Postgres cannot be used', 2);
    expect(await ready(client)).to.deep.equal([200, 'degraded']);
    expect(await metric(client, 'oddswire_dependency_up{dependency="Postgres"}')).to.equal(0);
    await running.more(1_500);
    await postgres.restart();
    const at = performance.now();
    await client.line('Postgres can be used again', 2);
    const backMs = Math.round(performance.now() - at);
    await running.more(500);
    const tally = await running.stop();
    console.log(`      ${summaryOf(tally)}; back ${backMs} ms after Postgres was`);
    expect(Object.keys(tally)).to.have.members(['known key 200', 'unknown key 401', 'unknown key 503']);
    expect(countOf(tally, '')).to.be.at.least(5_000);
    expect([lines('Postgres cannot be used'), lines('Postgres can be used again')]).to.deep.equal([2, 2]);
    expect(await ready(client)).to.deep.equal([200, 'ready']);
    expect((await client.news(unknownKey())).status).to.equal(401);
  });

  it('opens new sessions after it could not use the old ones: their server may be a former primary (D75)', async () => {
    const { account } = await aKey(client);
    const useAll = () =>
      Promise.all(Array.from({ length: 8 }, () => client.operate('GET', `/internal/v1/accounts/${account}`)));
    await useAll();
    const [{ at }] = (await administer(postgres.url, ['select clock_timestamp()::text as at'])) as [
      { at: string },
    ];
    await postgres.freeze();
    await client.line('Postgres cannot be used');
    await postgres.thaw();
    await client.line('Postgres can be used again');
    const used = `select from pg_stat_activity
      where application_name = 'oddswire' and backend_start < '${at}' and query_start > '${at}'`;
    // Statements that were sent while it was frozen end with their sessions.
    await until(0, async () => {
      await useAll();
      return (await administer(postgres.url, [used])).length;
    });
  });

  it('serves the last page, and answers 503 to unknown keys and to writes', async () => {
    await publishAll(client, [publication({ id: 'a' }), publication({ id: 'b' })]);
    const { key } = await aKey(client);
    const before = await client.news(key);
    while ((await metric(client, 'oddswire_copied_items')) < 2);
    await postgres.kill();
    await client.line('Postgres cannot be used');
    const after = await client.news(key);
    expect([after.status, after.json]).to.deep.equal([200, before.json]);
    expect(after.headers['feed-head']).to.equal(before.headers['feed-head']);
    const unknown = await client.news(unknownKey());
    expect([unknown.status, problem(unknown).code, unknown.headers['retry-after']]).to.deep.equal([
      503,
      'unavailable',
      '1',
    ]);
    const opened = await client.operate('POST', '/internal/v1/accounts', {
      email: 'a@b.example',
      plan: 'pro',
    });
    expect([opened.status, problem(opened).code]).to.deep.equal([503, 'unavailable']);
    const published = await client.publish(JSON.stringify(publication({ id: 'c' })));
    expect(published.status).to.equal(503);
    await postgres.restart();
    await client.line('Postgres can be used again');
    const again = await client.news(key);
    expect([again.status, again.json]).to.deep.equal([200, before.json]);
  });

  it('answers webhooks with 503, so that the processor sends them again (D29)', async () => {
    const customer = await aCustomer(client);
    const time = await seconds(client);
    expect(await customer.answer()).to.deep.equal([200]);
    const paused = stripeEvent(
      'customer.subscription.paused',
      stripeSubscription({ customer: customer.customer, status: 'paused', created: time }),
      time,
    );
    const deliver = () => client.deliver(paused, { seconds: time });
    await postgres.kill();
    await client.line('Postgres cannot be used');
    const refused = await deliver();
    expect([refused.status, problem(refused).code]).to.deep.equal([503, 'unavailable']);
    expect(Number(refused.headers['retry-after'])).to.be.at.least(1);
    expect(await customer.answer()).to.deep.equal([200]);
    await postgres.restart();
    await client.line('Postgres can be used again');
    expect((await deliver()).json).to.deep.equal({ state: 'applied' });
    expect(await customer.answer()).to.deep.equal([402, 'subscription_paused', []]);
  });

  it('waits for Postgres when it starts, and logs that', async () => {
    await service.stop();
    await postgres.kill();
    const waiting = launchInstance({ DATABASE_URL: postgres.url, REDIS_URL: redisUrl() });
    await waiting.line('waiting for Postgres');
    await postgres.restart();
    service = {
      ...service,
      instances: [await waiting.listening],
      stop: async () => void (await waiting.stop()),
    };
    client = await Client.of(service);
    expect((await client.news((await aKey(client)).key)).status).to.equal(200);
  });

  it('stops on SIGTERM while it waits for Postgres', async () => {
    await postgres.kill();
    const waiting = launchInstance({ DATABASE_URL: postgres.url });
    await waiting.line('waiting for Postgres');
    expect(await waiting.stop()).to.equal(0);
    await postgres.restart();
  });

  it('exits with one line, without the password, if Postgres rejects its password', async () => {
    const wrong = new URL(postgres.url);
    wrong.password = 'hush-hush';
    const refused = launchInstance({ DATABASE_URL: wrong.href });
    const fault = String(await refused.listening.catch((thrown: unknown) => thrown));
    expect(fault).to.include('oddswire: cannot start: ').and.to.include('password authentication failed');
    expect(fault).not.to.include('hush');
  });
});
