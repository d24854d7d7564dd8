import { expect } from 'chai';
import pg from 'pg';
import { migrate } from '../../../src/adapters/postgres/migrate.js';
import { diagnose, withResult } from '../../support/doctor/run-doctor.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { startTestRedisCluster } from '../../support/servers/redis.js';
import { startTestSentinels } from '../../support/servers/redis-failover.js';
import { type Standby, startStandby } from '../../support/servers/standby.js';
import { freshSchema } from '../../support/servers/stores.js';

describe('The doctor of several servers', function () {
  this.timeout(60_000);
  let primary: TestPostgres;
  let standby: Standby;
  before(async () => {
    primary = await startTestPostgres();
    await migrate(primary.url);
    standby = await startStandby(primary);
    await standby.caughtUp();
  });
  after(async () => {
    await standby.stop();
    await primary.stop();
  });
  const secrets = () => [new URL(primary.url).password];
  const examine = (url: string, ...replicas: readonly string[]) =>
    diagnose({ DATABASE_URL: url, DATABASE_REPLICA_URLS: replicas.join() }, secrets());

  it('finds a standby well, and names a replica of another history and one that is not there', async () => {
    const other = await freshSchema();
    const { code, checks } = await examine(
      primary.url,
      standby.url,
      other.url,
      'postgres://127.0.0.1:1/postgres',
    );
    await other.close();
    expect(checks.get('replica 1')).to.include({ result: 'ok' });
    expect(checks.get('replica 1')?.detail).to.include('0 changes behind');
    expect(withResult(checks, 'failed')).to.deep.equal(['replica 2', 'replica 3']);
    expect(checks.get('replica 2')?.detail).to.include('it has another history');
    expect(checks.get('replica 2')?.advice).to.include('pg_basebackup');
    expect(checks.get('replica 3')?.detail).to.include('ECONNREFUSED');
    expect(code).to.equal(1);
  });

  it('names a standby in the setting of the primary', async () => {
    const { code, checks } = await examine(standby.url);
    expect(withResult(checks, 'failed')).to.deep.equal(['postgres writes']);
    expect(checks.get('postgres writes')?.advice).to.include('Set DATABASE_URL to the primary');
    expect(checks.get('postgres notifications')?.result).to.equal('skipped');
    expect(code).to.equal(1);
  });

  it('warns of a replica that lags', async () => {
    await standby.pause();
    await publishChanges(1_001);
    const { code, checks } = await examine(primary.url, standby.url);
    await standby.resume();
    expect(checks.get('replica')).to.include({ result: 'warning' });
    expect(checks.get('replica')?.detail).to.include('is 1001 changes behind the primary');
    expect(code).to.equal(0);
  });

  it('names a replica that was promoted', async () => {
    await standby.caughtUp();
    await standby.promote();
    const { code, checks } = await examine(primary.url, standby.url);
    expect(checks.get('replica')?.detail).to.include('was promoted');
    expect(code).to.equal(1);
  });

  async function publishChanges(count: number): Promise<void> {
    const client = new pg.Client({ connectionString: primary.url });
    await client.connect();
    await client.query(
      `insert into feed_change (n, item_id, kind) select n, 'item', 'published' from generate_series(1, ${count}) as n`,
    );
    await client.end();
  }
});

describe('The doctor of a Redis Cluster', function () {
  this.timeout(60_000);

  it('finds every node well, warns of one that evicts keys, and names a node that is down', async () => {
    const cluster = await startTestRedisCluster(['--maxmemory-policy', 'allkeys-lru']);
    try {
      const settings = { REDIS_URL: cluster.urls.join() };
      const found = await diagnose(settings, []);
      expect(withResult(found.checks, 'failed')).to.deep.equal([]);
      expect(found.checks.get('redis')?.detail).to.include('answer as a cluster');
      expect(found.checks.get('redis scripts')).to.include({ result: 'ok' });
      expect(found.checks.get('redis messages')).to.include({ result: 'ok' });
      expect(found.checks.get('redis eviction')?.detail).to.include('allkeys-lru, noeviction');
      expect(found.code).to.equal(0);
      await cluster.nodes[1]?.kill();
      const { code, checks } = await diagnose(settings, []);
      expect(withResult(checks, 'failed')).to.deep.equal(['redis']);
      expect(checks.get('redis')?.detail).to.match(/ECONNREFUSED|no answer from every node/);
      expect(code).to.equal(1);
    } finally {
      await cluster.stop();
    }
  });
});

describe('The doctor of a Redis with Sentinel', function () {
  this.timeout(60_000);

  it('finds the primary well, and fails if no Sentinel knows its name', async () => {
    const passwords = { nodes: 'of-nodes', sentinels: 'of-sentinels' };
    const redis = await startTestSentinels(passwords);
    try {
      const found = await diagnose({ REDIS_URL: redis.url }, Object.values(passwords));
      expect(withResult(found.checks, 'failed')).to.deep.equal([]);
      expect(found.checks.get('redis')?.detail).to.include(
        `${new URL(redis.primary.url).host} answers, which Sentinel names as the primary`,
      );
      expect(found.checks.get('redis messages')).to.include({ result: 'ok' });
      const wrong = await diagnose({ REDIS_URL: redis.url.replace('/oddswire', '/other') }, []);
      expect(withResult(wrong.checks, 'failed')).to.deep.equal(['redis']);
      expect(wrong.checks.get('redis')?.detail).to.match(/no Sentinel at .* knows the name "other"/);
      expect(wrong.checks.get('redis')?.advice).to.include('docs/settings.md');
    } finally {
      await redis.stop();
    }
  });
});
