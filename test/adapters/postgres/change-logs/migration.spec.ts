import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresAccounts } from '../../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../../src/adapters/postgres/connection.js';
import { migrate, type Release, revertMigration } from '../../../../src/adapters/postgres/migrate.js';
import { MIGRATIONS } from '../../../../src/adapters/postgres/migrations/migrations.js';
import { PostgresChangeLogs } from '../../../../src/adapters/postgres/postgres-change-logs.js';
import { VERSION } from '../../../../src/settings/version.js';
import { changesAfter, hashesIn } from '../../../support/copies/logged-changes.js';
import { NOON } from '../../../support/objects/builders.js';
import { emptySchema } from '../../../support/servers/stores.js';
import { anAccount, firstKey, unchanged } from '../../../support/service/accounts.js';
import { until } from '../../../support/until.js';
import { feedStoreBefore } from '../../../support/versions/feed-store-before.js';

const NAME = '2026-11-26-change-logs';
const releaseWith = (isIn: (name: string) => boolean): Release => ({
  version: VERSION,
  migrations: new Map([...MIGRATIONS].filter(([name]) => isIn(name))),
});
const RELEASE_BEFORE = releaseWith((name) => name < NAME);
/** With no later migration. */
const RELEASE = releaseWith((name) => name <= NAME);

describe('The migration to change logs', () => {
  let url: string;
  let db: Knex;
  let logs: PostgresChangeLogs;
  beforeEach(async () => {
    url = await emptySchema();
    db = connect(url, LONG_TIMEOUTS, 5);
    logs = new PostgresChangeLogs(url);
    await migrate(url, RELEASE_BEFORE);
    const feed = await feedStoreBefore(db);
    for (const id of ['a', 'b'])
      await feed.publish([{ id, scoredAt: NOON, json: Buffer.from('{}'), subMarketIds: [] }], 'live');
    await feed.retract('a');
  });
  afterEach(async () => {
    await logs.close();
    await disconnect(db);
  });

  const marked = () => db('feed_change').whereNotNull('mark').orderBy('n').pluck('n');
  const hasColumn = (table: string, column: string) => db.schema.hasColumn(table, column);
  /** Both logs have the next change: of the feed, and of an account. */
  async function expectLogs(): Promise<void> {
    // A later migration adds it, and this version reads it.
    await db.raw('alter table feed_change add column if not exists known_at timestamptz');
    const start = await logs.newest();
    const account = await anAccount(new PostgresAccounts(db));
    await unchanged(new PostgresAccounts(db), account.id);
    expect(hashesIn(await changesAfter(logs, start))).to.deep.equal([[], [firstKey(account).hash]]);
  }

  it('gives only the newest change of the feed a mark, and logs from there', async () => {
    await migrate(url, RELEASE);
    expect(await marked()).to.deep.equal([3]);
    expect(await db('feed_change').whereNotNull('at').pluck('n')).to.deep.equal([3]);
    expect(await db('feed_change').whereNotNull('kind')).to.deep.equal([]);
    expect((await logs.newest()).feed.n).to.equal(3);
    expect((await logs.newest()).accounts.n).to.equal(0);
    await expectLogs();
  });

  it('waits while a transaction uses a table, and blocks readers for at most 2 s at a time', async () => {
    const reader = await db.transaction();
    await reader('feed_change').first();
    const migrating = migrate(url, RELEASE);
    const waits: number[] = [];
    for (const from = performance.now(); performance.now() - from < 3_000; ) {
      const at = performance.now();
      await db('feed_change').first();
      waits.push(performance.now() - at);
    }
    expect(await hasColumn('feed_change', 'mark')).to.equal(false);
    await reader.commit();
    expect((await migrating).applied).to.deep.equal([NAME]);
    console.log(`      slowest read: ${Math.round(Math.max(...waits))} ms`);
    // It did block, and each wait has its limit, with some time for a slow machine.
    expect(Math.max(...waits)).to.be.within(1_000, 2_500);
    await expectLogs();
  });

  it('can be run again after it was killed in the middle', async () => {
    const writer = await db.transaction();
    await writer.raw('lock table account in row exclusive mode');
    const migrating = migrate(url, RELEASE).catch((fault: unknown) => fault);
    const killed = () =>
      db.raw<{ rowCount: number }>(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where wait_event_type = 'Lock' and query like 'create constraint trigger account_logged%'`,
      );
    await until(1, async () => (await killed()).rowCount);
    expect(await migrating).to.be.instanceOf(Error);
    await writer.rollback();
    expect(await hasColumn('account_change', 'hashes')).to.equal(true);
    const before = await db('feed_change').whereNotNull('mark').first('mark');
    expect((await migrate(url, RELEASE)).applied).to.deep.equal([NAME]);
    expect(await marked()).to.deep.equal([3]);
    expect(await db('feed_change').whereNotNull('mark').first('mark')).to.deep.equal(before);
    await expectLogs();
  });

  it('can be reverted, and applied again', async () => {
    const rows = () => db('feed_change').orderBy('n').select('n', 'item_id', 'scored_at');
    const before = await rows();
    const functions = async () =>
      (await db.raw('select from pg_proc where pronamespace = current_schema()::regnamespace')).rowCount;
    await migrate(url, RELEASE);
    await expectLogs();
    expect(await functions()).to.equal(3);
    expect(await revertMigration(url, RELEASE)).to.deep.equal([NAME]);
    expect(await rows()).to.deep.equal(before);
    expect(await functions()).to.equal(0);
    await anAccount(new PostgresAccounts(db));
    await migrate(url, RELEASE);
    expect(await marked()).to.deep.equal([3]);
    await expectLogs();
  });
});
