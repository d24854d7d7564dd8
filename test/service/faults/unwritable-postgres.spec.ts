import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { summaryOf, type Traffic, traffic } from '../../support/load/traffic.js';
import { publication } from '../../support/objects/builders.js';
import { stripeEvent, stripeSubscription } from '../../support/objects/stripe-objects.js';
import { type MailServer, startMailServer } from '../../support/servers/mail-server.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { redisUrl } from '../../support/servers/stores.js';
import { administer, ofAnotherRole, WRITE_FAULTS } from '../../support/servers/write-faults.js';
import { actOn, advance, metric, type Page, ready } from '../../support/service/api-calls.js';
import { Client, type Reply, send } from '../../support/service/client.js';
import { aCustomer, seconds } from '../../support/service/processor-customer.js';
import { type Instance, type Service, startService } from '../../support/service/running-service.js';
import { Visitor } from '../../support/service/visitor.js';

/** Documented as "within about a second": the interval of the probes, plus their duration on a busy machine. */
const BACK_WITHIN_MS = 2_500;

/** T28: for example after a failover or a revoked grant. Writes are answered 503, and reads work. */
describe('Postgres that answers and cannot be written to', function () {
  this.timeout(60_000);
  let postgres: TestPostgres;
  let mail: MailServer;
  let service: Service;
  let client: Client;
  let key: string;
  beforeEach(async () => {
    [postgres, mail] = await Promise.all([startTestPostgres({ durable: true }), startMailServer()]);
    service = await startService({
      DATABASE_URL: await ofAnotherRole(postgres.url),
      MIGRATE: 'off',
      REDIS_URL: redisUrl(),
      ...mail.settings,
      RATE_LIMIT_PRO_MINUTE: '1000000',
    });
    client = await Client.of(service);
  });
  afterEach(async () => {
    await service.stop();
    await Promise.all([postgres.stop(), mail.stop()]);
  });

  const one = (): Instance => service.instances[0] ?? expect.fail('no instance');
  const lines = (text: string) => client.outputs().filter((line) => line.includes(text)).length;
  const summary = ({ status, headers, json }: Reply) => [
    status,
    headers['retry-after'],
    (json as { readonly code?: string } | undefined)?.code,
  ];
  const REFUSED = [503, '1', 'unavailable'];

  /** Every tenth request has an unknown key. */
  const reading = (): Traffic =>
    traffic(4, (n) => ({
      url: `${one().url}/pm/v2/news?limit=5`,
      headers: { 'X-API-Key': n % 10 === 0 ? `svc_${randomBytes(32).toString('base64url')}` : key },
      kind: n % 10 === 0 ? 'unknown key' : 'known key',
    }));

  /** Publishes one item after another. `stop` returns the ids of the acknowledged items. */
  function publishing() {
    const statuses = new Set<number>();
    const acknowledged: string[] = [];
    const { publisher } = service.tokens;
    const headers = { Authorization: `Bearer ${publisher}`, 'Content-Type': 'application/json' };
    let isOver = false;
    const running = (async () => {
      for (let n = 0; !isOver; n += 1) {
        const body = JSON.stringify(publication({ id: `light-${n}` }));
        const { status } = await send(`${one().internalUrl}/internal/v1/news`, {
          method: 'POST',
          headers,
          body,
        });
        statuses.add(status);
        if (status === 200) acknowledged.push(`light-${n}`);
        await new Promise((done) => setTimeout(done, 20));
      }
    })();
    const stop = async () => {
      isOver = true;
      await running;
      return acknowledged;
    };
    return { statuses, stop };
  }

  const allIds = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for (let cursor = ''; ; ) {
      const { items, next_cursor } = (await client.news(key, `?limit=500${cursor}`)).json as Page;
      found.push(...items.map(({ news_event }) => news_event.id));
      if (next_cursor === null) return found;
      cursor = `&cursor=${next_cursor}`;
    }
  };

  /** A signed-in dashboard user whose next request updates the session. */
  async function visitor(): Promise<Visitor> {
    const person = new Visitor(one().url);
    await person.submit('/dashboard/sign-in', { email: 'ada@example.org' });
    const [email] = await mail.arrived(({ to }) => to === 'ada@example.org');
    const [, path = ''] = /http:\/\/[^/]+(\/\S+)/.exec(email?.text ?? '') ?? [];
    expect((await person.open(path)).text).to.include('You have no keys yet');
    await advance(client, 360);
    return person;
  }

  for (const [name, fault] of Object.entries(WRITE_FAULTS)) {
    it(`causes 503 for writers only, and recovers automatically: ${name}`, async () => {
      const [customer, other] = [await aCustomer(client), await aCustomer(client)];
      key = customer.key.key;
      const person = await visitor();
      const time = await seconds(client);
      const paused = stripeEvent(
        'customer.subscription.paused',
        stripeSubscription({ customer: other.customer, status: 'paused', created: time }),
        time,
      );
      const item = JSON.stringify(publication({ id: 'written' }));
      const writes = {
        'a publication': () => client.publish(item, '', 'application/json'),
        'an operator action': () => actOn(client, other.key.key_id, 'hold', { reason: 'test' }),
        'a webhook': () => client.deliver(paused, { seconds: time }),
      };
      const [reads, light] = [reading(), publishing()];
      await reads.more(200);
      await administer(postgres.url, fault.begin);
      await client.line('Postgres cannot be written to: ');
      for (const [what, write] of Object.entries(writes)) {
        expect(summary(await write()), what).to.deep.equal(REFUSED);
      }
      expect((await person.open('/dashboard/keys')).status).to.equal(200);
      expect(await ready(client)).to.deep.equal([200, 'degraded']);
      expect(await metric(client, 'oddswire_dependency_writable{dependency="Postgres"}')).to.equal(0);
      expect(await metric(client, 'oddswire_dependency_up{dependency="Postgres"}')).to.equal(1);
      await reads.more(500);

      await administer(postgres.url, fault.end);
      const at = performance.now();
      await client.line('Postgres accepts writes again');
      const backMs = Math.round(performance.now() - at);
      for (const [what, write] of Object.entries(writes)) expect((await write()).status, what).to.equal(200);
      const [tally, acknowledged] = [await reads.stop(), await light.stop()];
      console.log(`      ${summaryOf(tally)}; back after ${backMs} ms; ${acknowledged.length} published`);
      expect(backMs).to.be.below(BACK_WITHIN_MS);
      expect([...light.statuses]).to.have.members([200, 503]);
      // A terminated session fails the request that is using it.
      const cut = Object.keys(tally).filter((what) => fault.endsSessions && what === 'unknown key 503');
      expect(Object.keys(tally)).to.have.members(['known key 200', 'unknown key 401', ...cut]);
      const changes = [
        'Postgres cannot be written to',
        'Postgres accepts writes again',
        'Postgres cannot be used',
      ];
      expect(changes.map(lines)).to.deep.equal([1, 1, 0]);
      if (!fault.endsSessions) expect(lines('"msg":"a request failed"')).to.equal(0);
      expect(await ready(client)).to.deep.equal([200, 'ready']);
      expect(await other.answer()).to.deep.equal([402, 'key_suspended', ['manual_hold']]);
      await actOn(client, other.key.key_id, 'release', { reason: 'test' });
      expect(await other.answer()).to.deep.equal([402, 'subscription_paused', []]);
      expect(await allIds()).to.include.members([...acknowledged, 'written']);
    });
  }
});
