import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { migrate, requireNewestSchema, revertMigration } from '../../../src/adapters/postgres/migrate.js';
import { MIGRATIONS } from '../../../src/adapters/postgres/migrations/migrations.js';
import { compareVersions } from '../../../src/adapters/postgres/schema-fit.js';
import { VERSION } from '../../../src/settings/version.js';
import { emptySchema } from '../../support/servers/stores.js';
import { until } from '../../support/until.js';
import {
  ADDITIVE,
  BREAKING,
  LATER_VERSION,
  laterRelease,
  noteColumn,
} from '../../support/versions/later-release.js';

/** The sessions that have asked for the lock last: the one that holds it, and those that ask again and again. */
const ASKED_FOR_THE_LOCK = `select pid from pg_stat_activity
  where datname = current_database() and query like 'select pg_try_advisory_lock(%oddswire migrations%'`;

describe('The oldest version that runs on a schema', () => {
  let url: string;
  let db: Knex;
  beforeEach(async () => {
    url = await emptySchema();
    db = connect(url, LONG_TIMEOUTS, 1);
  });
  afterEach(() => disconnect(db));

  const stored = () => db('schema_compatibility').pluck('oldest_version');
  const faultOf = async (work: Promise<unknown>): Promise<string> =>
    String(await work.catch((thrown: unknown) => thrown));
  const additive = laterRelease(ADDITIVE);
  const both = laterRelease(ADDITIVE, BREAKING);

  it('is not newer than the version with these migrations', () => {
    for (const [name, { oldestVersion }] of MIGRATIONS) {
      expect(compareVersions(oldestVersion, VERSION), name).to.be.at.most(0);
    }
  });

  it('is one row, which each migration and each revert updates', async () => {
    await migrate(url);
    const own = await stored();
    expect(own).to.have.length(1);
    expect((await migrate(url, additive)).applied).to.deep.equal([ADDITIVE.name]);
    expect(await stored()).to.deep.equal([VERSION]);
    expect((await migrate(url, both)).applied).to.deep.equal([BREAKING.name]);
    expect(await stored()).to.deep.equal([LATER_VERSION]);
    expect(await revertMigration(url, both)).to.deep.equal([BREAKING.name]);
    expect(await stored()).to.deep.equal([VERSION]);
    expect(await revertMigration(url, both)).to.deep.equal([ADDITIVE.name]);
    expect(await stored()).to.deep.equal(own);
    for (const _ of MIGRATIONS) await revertMigration(url);
    expect(await stored()).to.deep.equal([]);
  });

  it('is the newest that any migration states, even if a later one states an older version', async () => {
    await migrate(url, laterRelease(BREAKING, ADDITIVE));
    expect(await stored()).to.deep.equal([LATER_VERSION]);
  });

  it('is added to a database of a version that stored none', async () => {
    await migrate(url);
    const own = await stored();
    const names = await db('knex_migrations').orderBy('id').pluck('name');
    await db.schema.dropTable('schema_compatibility');
    expect(await requireNewestSchema(url)).to.deep.equal({ applied: [], newer: [] });
    expect(await migrate(url)).to.deep.equal({ applied: [], newer: [] });
    expect(await stored()).to.deep.equal(own);
    // The list that such a version compares with its own is unchanged, so it can start again.
    expect(await db('knex_migrations').orderBy('id').pluck('name')).to.deep.equal(names);
  });

  it('lets an older version run on an additive schema without changing it', async () => {
    const older = { version: '500.0.0', migrations: MIGRATIONS };
    await migrate(url, laterRelease({ ...ADDITIVE, oldestVersion: '400.0.0' }));
    for (const start of [migrate, requireNewestSchema]) {
      expect(await start(url, older)).to.deep.equal({ applied: [], newer: [ADDITIVE.name] });
    }
    const fault = await faultOf(revertMigration(url, older));
    expect(fault).to.include('only a newer version can revert its migrations');
    expect(await noteColumn(db)).to.equal(true);
    expect(await stored()).to.deep.equal(['400.0.0']);
  });

  it('is checked again by an older version that waited while a newer one migrated', async () => {
    const older = { version: '500.0.0', migrations: MIGRATIONS };
    let finish = () => {};
    const finished = new Promise<void>((done) => {
      finish = done;
    });
    const paused = {
      ...ADDITIVE,
      oldestVersion: '400.0.0',
      up: async (transaction: Knex) => {
        await finished;
        await ADDITIVE.up(transaction);
      },
    };
    const migrating = migrate(url, laterRelease(paused));
    await until(true, () => db.schema.hasTable('identity'));
    const waiting = migrate(url, older);
    await until(true, async () => (await db.raw(ASKED_FOR_THE_LOCK)).rows.length > 1);
    finish();
    expect((await migrating).applied).to.include(ADDITIVE.name);
    expect(await waiting).to.deep.equal({ applied: [], newer: [ADDITIVE.name] });
    expect(await stored()).to.deep.equal(['400.0.0']);
  });

  it('refuses an older version on a breaking schema, and the error names the needed version', async () => {
    await migrate(url, both);
    for (const work of [migrate, requireNewestSchema, revertMigration]) {
      expect(await faultOf(work(url))).to.include(`needs version ${LATER_VERSION} or later`);
    }
    expect(await migrate(url, both)).to.deep.equal({ applied: [], newer: [] });
  });

  it('is unchanged after a migration that fails halfway', async () => {
    await migrate(url);
    const failing = {
      ...BREAKING,
      up: async (transaction: Knex) => {
        await BREAKING.up(transaction);
        throw new Error('half way');
      },
    };
    expect(await faultOf(migrate(url, laterRelease(failing)))).to.include('half way');
    expect(await migrate(url)).to.deep.equal({ applied: [], newer: [] });
  });

  it('is raised before a migration without a transaction begins', async () => {
    await migrate(url);
    const failing = {
      ...BREAKING,
      config: { transaction: false },
      up: async () => {
        throw new Error('half way');
      },
    };
    expect(await faultOf(migrate(url, laterRelease(failing)))).to.include('half way');
    expect(await faultOf(migrate(url))).to.include(`needs version ${LATER_VERSION} or later`);
  });
});
