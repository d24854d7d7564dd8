import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { startStandby } from '../../support/servers/standby.js';
import { redisUrl } from '../../support/servers/stores.js';
import { administer, ofAnotherRole, ROLE } from '../../support/servers/write-faults.js';
import { aKey, ids, publishAll, ready } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import {
  type Instance,
  type Launched,
  launchInstance,
  type Service,
} from '../../support/service/running-service.js';

const BE_READ_ONLY = 'alter database postgres set default_transaction_read_only = on';
const BE_WRITABLE = 'alter database postgres reset default_transaction_read_only';

describe('The start on a Postgres that cannot be written to', function () {
  this.timeout(60_000);
  let postgres: TestPostgres;
  let url: string;
  let launched: Launched[];
  beforeEach(async () => {
    launched = [];
    postgres = await startTestPostgres();
    url = await ofAnotherRole(postgres.url);
  });
  afterEach(async () => {
    await Promise.all(launched.map((one) => one.stop()));
    await postgres.stop();
  });

  const launch = (environment: Readonly<Record<string, string>>): Launched => {
    const one = launchInstance({ REDIS_URL: redisUrl(), ...environment });
    launched.push(one);
    return one;
  };
  const clientOf = (instance: Instance): Promise<Client> => {
    const tokens = { operator: 'operator-token-of-the-tests', publisher: 'publisher-token-of-the-tests' };
    const service: Service = { instances: [instance], tokens, stateDir: '', stop: async () => {} };
    return Client.of(service);
  };

  it('waits if migrations are pending, logs that, and continues when Postgres is writable', async () => {
    const empty = new URL(postgres.url);
    empty.pathname = '/empty';
    const readOnly = 'alter database empty set default_transaction_read_only';
    await administer(postgres.url, ['create database empty', `${readOnly} = on`]);
    const waiting = launch({ DATABASE_URL: empty.href });
    expect(await waiting.line('waiting for Postgres')).to.include('read-only transaction');
    await administer(postgres.url, [`${readOnly} = off`]);
    const client = await clientOf(await waiting.listening);
    expect(await ready(client)).to.deep.equal([200, 'ready']);
  });

  for (const MIGRATE of ['on', 'off']) {
    it(`serves reads if no migration is pending, and accepts writes later: MIGRATE=${MIGRATE}`, () =>
      servesReads({ DATABASE_URL: MIGRATE === 'on' ? postgres.url : url, MIGRATE }));
  }

  async function servesReads(settings: Readonly<Record<string, string>>): Promise<void> {
    const before = launch(settings);
    const first = await clientOf(await before.listening);
    await publishAll(first, [publication({ id: 'a' })]);
    const { key } = await aKey(first);
    await before.stop();
    await administer(postgres.url, [BE_READ_ONLY]);
    const started = launch(settings);
    const client = await clientOf(await started.listening);
    await started.line('Postgres cannot be written to: it is read-only');
    expect(await ready(client)).to.deep.equal([200, 'degraded']);
    expect(ids(await client.news(key))).to.deep.equal(['a']);
    expect((await client.publish(JSON.stringify(publication({ id: 'b' })))).status).to.equal(503);
    await administer(postgres.url, [BE_WRITABLE]);
    await started.line('Postgres accepts writes again');
    await publishAll(client, [publication({ id: 'b' })]);
    expect((await client.operate('POST', '/internal/v1/test-clock', { advance_seconds: 1 })).status).to.equal(
      200,
    );
  }

  it('serves reads from a standby, and accepts writes after its promotion', async () => {
    const standby = await startStandby(postgres);
    try {
      await standby.caughtUp();
      const started = launch({ DATABASE_URL: standby.url, MIGRATE: 'off' });
      const client = await clientOf(await started.listening);
      await started.line('Postgres cannot be written to: it is read-only');
      expect((await client.publish(JSON.stringify(publication({ id: 'a' })))).status).to.equal(503);
      await administer(standby.url, ['select pg_promote()']);
      await started.line('Postgres accepts writes again');
      await publishAll(client, [publication({ id: 'a' })]);
      await Promise.all(launched.splice(0).map((one) => one.stop()));
    } finally {
      await standby.stop();
    }
  });

  it('fails with one line if the role lacks a permission', async () => {
    await administer(postgres.url, [`revoke select on knex_migrations from ${ROLE}`]);
    const refused = launch({ DATABASE_URL: url, MIGRATE: 'off' });
    const fault = String(await refused.listening.catch((thrown: unknown) => thrown));
    expect(fault).to.include('oddswire: cannot start: ').and.to.include('permission denied');
  });
});
