import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../../src/adapters/postgres/connection.js';
import { migrate, type Release } from '../../../../src/adapters/postgres/migrate.js';
import { MIGRATIONS } from '../../../../src/adapters/postgres/migrations/migrations.js';
import { VERSION } from '../../../../src/settings/version.js';
import { emptySchema } from '../../../support/servers/stores.js';
import { spawnMain } from '../../../support/service/running-service.js';
import { until } from '../../../support/until.js';

const NAME = '2026-11-29-item-terms';
const MIGRATE = fileURLToPath(new URL('../../../../src/commands/migrate.js', import.meta.url));
const releaseWith = (isIn: (name: string) => boolean): Release => ({
  version: VERSION,
  migrations: new Map([...MIGRATIONS].filter(([name]) => isIn(name))),
});
const RELEASE_BEFORE = releaseWith((name) => name < NAME);
/** With no later migration. */
const RELEASE = releaseWith((name) => name <= NAME);
/** More than a small table has. */
const ITEMS = 10_001;

describe('The migration to terms of items, on a large feed,', function () {
  this.timeout(60_000);
  let url: string;
  let db: Knex;
  let older: Knex.Transaction;
  beforeEach(async () => {
    url = await emptySchema();
    db = connect(url, LONG_TIMEOUTS, 3);
    await migrate(url, RELEASE_BEFORE);
    await db.raw(
      `insert into item (id, scored_at, json, sub_market_ids)
       select 'i' || n, timestamptz '2026-03-01' + n * interval '1 s', '{}', '{}' from generate_series(1, ?) as n`,
      [ITEMS],
    );
    older = await db.transaction({ isolationLevel: 'repeatable read' });
    await older('account').first();
  });
  afterEach(async () => {
    await older.rollback();
    await disconnect(db);
  });

  const isValid = async (): Promise<boolean | undefined> => {
    const { rows } = await db.raw(
      "select indisvalid from pg_index where indexrelid = to_regclass('item_without_terms')",
    );
    return rows[0]?.indisvalid;
  };
  const write = () => db('item').where({ id: 'i1' }).update({ id: 'i1' });

  it('builds an index that no publisher waits for, while another instance waits to migrate', async () => {
    const migrating = [migrate(url, RELEASE), migrate(url, RELEASE)];
    await Promise.race([until(false, isValid), ...migrating]);
    expect(await isValid()).to.equal(false);
    expect(await write()).to.equal(1);
    expect(await isValid()).to.equal(false);
    await older.rollback();
    const applied = (await Promise.all(migrating)).flatMap((each) => each.applied);
    expect([applied, await isValid()]).to.deep.equal([[NAME], true]);
  });

  it('builds the index again after it was interrupted', async () => {
    const interrupted = migrate(url, RELEASE).catch((fault: unknown) => fault);
    await until(false, isValid);
    await db.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where pid <> pg_backend_pid() and query like 'create index concurrently item_without_terms%'`,
    );
    expect(await interrupted).to.be.instanceOf(Error);
    expect(await isValid()).to.equal(false);
    await older.rollback();
    expect((await migrate(url, RELEASE)).applied).to.deep.equal([NAME]);
    expect(await isValid()).to.equal(true);
  });

  it('leaves no build behind when its process is killed', async () => {
    const builds = () =>
      db('pg_stat_activity')
        .pluck('pid')
        .where({ state: 'active' })
        .andWhereLike('query', 'create index concurrently item_without_terms%');
    const others = await builds();
    const process = spawnMain({ DATABASE_URL: url }, MIGRATE);
    await until(false, isValid);
    const build = (await builds()).filter((pid) => !others.includes(pid));
    expect(build).to.have.length(1);
    process.kill('SIGKILL');
    await until([], async () => (await builds()).filter((pid) => build.includes(pid)));
  }).timeout(20_000);
});
