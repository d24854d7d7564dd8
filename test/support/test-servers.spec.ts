import { expect } from 'chai';
import pg from 'pg';
import { createClient, createCluster } from 'redis';
import { migrate } from '../../src/adapters/postgres/migrate.js';
import { emptyDatabase, freshDatabase, startTestPostgres, type TestPostgres } from './servers/postgres.js';
import { startTestRedis, startTestRedisCluster } from './servers/redis.js';
import { type Standby, startStandby } from './servers/standby.js';
import { freshSchema } from './servers/stores.js';

const PATIENCE = 10_000;
const TABLES = "select tablename from pg_tables where schemaname = 'public' order by 1";

/** Tests the servers that the tests of faults freeze, kill, restart and delay. */
describe('The Postgres of a test', function () {
  this.timeout(30_000);
  let postgres: TestPostgres;
  let standby: Standby;
  before(async () => {
    // Durable: commits wait for the WAL flush, so that the replica gets everything that was committed.
    postgres = await startTestPostgres({ durable: true });
    standby = await startStandby(postgres);
    await ask(postgres.url, 'create table told (n int)');
  });
  after(async () => {
    await standby.stop();
    await postgres.stop();
  });

  it('has a read-only replica that follows', async () => {
    for (let n = 1; n <= 20; n += 1) {
      await ask(postgres.url, `insert into told values (${n})`);
      await standby.caughtUp();
      expect(await count(standby.url)).to.equal(n);
    }
    const fault = await ask(standby.url, 'insert into told values (21)').catch((thrown: unknown) => thrown);
    expect(String(fault)).to.match(/read-only transaction/);
  });

  it('has a replica whose replay can be paused and resumed', async () => {
    await standby.pause();
    await ask(postgres.url, 'insert into told values (21)');
    expect([await count(postgres.url), await count(standby.url)]).to.deep.equal([21, 20]);
    const catchingUp = standby.caughtUp();
    expect(await Promise.race([catchingUp, elapsed(200)])).to.equal('nothing');
    await standby.resume();
    await catchingUp;
    expect(await count(standby.url)).to.equal(21);
  });

  it('provides a new empty database for each caller', async () => {
    const [one, other] = [await emptyDatabase(postgres.url), await emptyDatabase(postgres.url)];
    expect(one).not.to.equal(other);
    await ask(one, 'create table told (n int)');
    expect(await ask(other, TABLES)).to.deep.equal([]);
  });

  it('provides a new database with the newest schema for each caller', async () => {
    const migrated = await emptyDatabase(postgres.url);
    await migrate(migrated);
    const [one, other] = [await freshDatabase(postgres.url), await freshDatabase(postgres.url)];
    await ask(one, 'create table told (n int)');
    expect(await ask(other, TABLES)).to.deep.equal(await ask(migrated, TABLES));
    expect((await migrate(other)).applied).to.deep.equal([]);
  });

  it('does not answer while it is frozen, on open or new connections', async () => {
    const client = new pg.Client({ connectionString: postgres.url });
    // If the test fails, the server stops while this client is connected.
    client.on('error', () => {});
    await client.connect();
    await postgres.freeze();
    const one = [{ one: 1 }];
    const answers = [
      client.query('select 1 as one').then(({ rows }) => rows),
      ask(postgres.url, 'select 1 as one'),
    ];
    expect(await Promise.race([...answers, elapsed(300)])).to.equal('nothing');
    await postgres.thaw();
    expect(await Promise.all(answers)).to.deep.equal([one, one]);
    await client.end();
  });

  it('restarts on its port with its data, also if it was killed while frozen', async () => {
    for (const fault of [async () => {}, postgres.freeze]) {
      await fault();
      await postgres.kill();
      expect(await ask(postgres.url, 'select 1').catch(() => 'gone')).to.equal('gone');
      await postgres.restart();
      expect(await count(postgres.url)).to.equal(21);
    }
  });
});

describe('A schema of a test', () => {
  const NUMBER = "select nextval(pg_get_serial_sequence('term', 'id'))::int as n";

  it('is empty for its next user, and numbers begin again, also those that no row has', async () => {
    const first = await freshSchema();
    const rows = async (sql: string) => [...(await ask(first.url, sql))];
    const atFirst = await rows('select n, item_id, kind from feed_change');
    await ask(first.url, "update feed_change set item_id = 'changed'");
    expect(await rows(NUMBER)).to.deep.equal([{ n: 1 }]);
    await first.close();
    const next = await freshSchema();
    expect(next.url).to.equal(first.url);
    expect(await rows('select n, item_id, kind from feed_change')).to.deep.equal(atFirst);
    expect(await rows(NUMBER)).to.deep.equal([{ n: 1 }]);
    await next.close();
  });
});

describe('The Redis of a test', function () {
  this.timeout(30_000);

  it('does not answer while it is frozen, and restarts empty on its port after a kill', async () => {
    const redis = await startTestRedis();
    await connected(redis.url, async (client) => {
      await client.set('key', 'value');
      await redis.freeze();
      const answer = client.get('key');
      expect(await Promise.race([answer, elapsed(300)])).to.equal('nothing');
      await redis.thaw();
      expect(await answer).to.equal('value');
    });
    await redis.kill();
    await redis.restart();
    await connected(redis.url, async (client) => expect(await client.get('key')).to.equal(null));
    await redis.stop();
  });

  it('can be a cluster in which each node serves every slot from the start', async () => {
    const { urls, stop } = await startTestRedisCluster();
    for (const url of urls) {
      await connected(url, async (client) => {
        const state = String(await client.sendCommand(['CLUSTER', 'INFO']));
        expect(state).to.include('cluster_state:ok').and.include('cluster_slots_ok:16384');
      });
    }
    const cluster = createCluster({ rootNodes: urls.map((url) => ({ url })) });
    cluster.on('error', () => {});
    await cluster.connect();
    const keys = Array.from({ length: 100 }, (_, i) => `key-${i}`);
    await Promise.all(keys.map((key) => cluster.set(key, key)));
    expect(await Promise.all(keys.map((key) => cluster.get(key)))).to.deep.equal(keys);
    cluster.destroy();
    await stop();
  });
});

async function ask(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const patience = { connectionTimeoutMillis: PATIENCE, query_timeout: PATIENCE };
  const client = new pg.Client({ connectionString: url, ...patience });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function count(url: string): Promise<number> {
  const [row] = await ask(url, 'select count(*)::int as n from told');
  return Number(row?.['n']);
}

const clientOf = (url: string) => createClient({ url, socket: { reconnectStrategy: false } });

async function connected(
  url: string,
  use: (client: ReturnType<typeof clientOf>) => Promise<unknown>,
): Promise<void> {
  const client = clientOf(url);
  client.on('error', () => {});
  await client.connect();
  try {
    await use(client);
  } finally {
    client.destroy();
  }
}

const elapsed = (ms: number): Promise<'nothing'> =>
  new Promise((done) => {
    setTimeout(() => done('nothing'), ms);
  });
