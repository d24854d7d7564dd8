import type { Knex } from 'knex';
import pg from 'pg';
import { VERSION } from '../../settings/version.js';
import { clientConfig, connect, disconnect, LONG_PATIENCE } from './connection.js';
import { MIGRATIONS, type SchemaMigration } from './migrations/migrations.js';
import { newestVersion, type SchemaState, schemaFit } from './schema-fit.js';
import { withErrorMapping } from './unavailable-database.js';

/** A version of the service and the migrations it knows, in the order they are made. */
export type Release = {
  readonly version: string;
  readonly migrations: ReadonlyMap<string, SchemaMigration>;
};

const THIS_RELEASE: Release = { version: VERSION, migrations: MIGRATIONS };

export type Migrated = {
  readonly made: readonly string[];
  /** Migrations of a newer version. Where there are any, this version runs with them and makes none itself. */
  readonly newer: readonly string[];
};

/** Brings the database to the newest schema. Throws in words when this version cannot run on the schema it finds. */
export async function migrate(url: string, release: Release = THIS_RELEASE): Promise<Migrated> {
  // The lock is a write. Where no migration is pending, an instance also starts on a database that is read-only.
  const found = await stateOf(url);
  const { newer, pending } = admit(release, found);
  const isComplete = pending.length === 0 && found.oldestVersion !== null && !found.isLocked;
  if (newer.length > 0 || isComplete) return { made: [], newer };
  return locked(url, (db) => makePending(db, release));
}

/** Like `migrate`, but makes no migration: it throws in words when one is pending. */
export async function requireNewestSchema(url: string, release: Release = THIS_RELEASE): Promise<Migrated> {
  const { newer, pending } = admit(release, await stateOf(url));
  if (pending.length > 0) {
    throw new Error('the database has not the newest schema, and MIGRATE is off: run npm run migrate');
  }
  return { made: [], newer };
}

/** Takes the newest migration back. Answers the names of those that were taken back. */
export const migrateBack = (url: string, release: Release = THIS_RELEASE): Promise<readonly string[]> =>
  locked(url, async (db) => {
    const { newer } = admit(release, await readState(db));
    if (newer.length > 0) {
      throw new Error(`only a newer version can take back its migrations: ${newer.join(', ')}`);
    }
    await db.raw(CREATE_COMPATIBILITY);
    const names = [...release.migrations.keys()];
    const [, taken] = await db.migrate.down({
      ...configOf(release),
      afterEach: (transaction: Knex, [name]: readonly unknown[]) =>
        storeOldestVersion(transaction, release, names.slice(0, names.indexOf(String(name)))),
    });
    return taken;
  });

async function makePending(db: Knex, release: Release): Promise<Migrated> {
  // Again, under the lock: another instance may have migrated meanwhile, one of a newer version included.
  const { newer } = admit(release, await readState(db));
  if (newer.length > 0) return { made: [], newer };
  await db.raw(CREATE_COMPATIBILITY);
  const names = [...release.migrations.keys()];
  const [, made] = await db.migrate.latest({
    ...configOf(release),
    // First, in the transaction of the migration where it has one: no older version starts on a half-made schema.
    beforeEach: (transaction: Knex, [name]: readonly unknown[]) =>
      storeOldestVersion(transaction, release, names.slice(0, names.indexOf(String(name)) + 1)),
  });
  await storeOldestVersion(db, release, names);
  return { made, newer };
}

/** The migrations that separate the release from the schema; throws when it may not run on that schema. */
function admit(
  { version, migrations }: Release,
  state: SchemaState,
): { readonly newer: readonly string[]; readonly pending: readonly string[] } {
  const fit = schemaFit(version, [...migrations.keys()], state);
  if (fit.fit === 'refused') throw new Error(fit.reason);
  return fit.fit === 'newer' ? { newer: fit.newer, pending: [] } : { newer: [], pending: fit.pending };
}

/** Knex would refuse every schema with a migration that it does not know; `schemaFit` decides that instead. */
const configOf = ({ migrations }: Release) => ({
  disableMigrationsListValidation: true,
  migrationSource: {
    getMigrations: async () => [...migrations.keys()],
    getMigrationName: (name: string) => name,
    getMigration: async (name: string): Promise<Knex.Migration> => {
      const migration = migrations.get(name);
      if (migration === undefined) throw new Error(`there is no migration ${name}`);
      return migration;
    },
  },
});

/**
 * One row. Not a migration itself: versions from before this table refuse every schema that has a migration they do not
 * know, and must be able to restart during a rolling update.
 */
const CREATE_COMPATIBILITY = `create table if not exists schema_compatibility (
  is_only_row boolean primary key default true check (is_only_row),
  oldest_version text not null
)`;

/** Stores what a schema with these migrations needs; nothing for a schema without any. */
async function storeOldestVersion(
  db: Knex,
  { migrations }: Release,
  names: readonly string[],
): Promise<void> {
  const stated = names.flatMap((name) => migrations.get(name)?.oldestVersion ?? []);
  const oldest = newestVersion(stated);
  if (oldest === null) await db('schema_compatibility').delete();
  else {
    await db('schema_compatibility')
      .insert({ is_only_row: true, oldest_version: oldest })
      .onConflict('is_only_row')
      .merge();
  }
}

/** `isLocked`: a process died in the middle of a migration, or one is being made. */
type FoundState = SchemaState & { readonly isLocked: boolean };

async function stateOf(url: string): Promise<FoundState> {
  const db = connect(url, LONG_PATIENCE, 1);
  try {
    return await withErrorMapping(() => readState(db));
  } finally {
    await disconnect(db);
  }
}

/** Reads only. Of the tables of knex the one for its lock is created last. */
async function readState(db: Knex): Promise<FoundState> {
  if (!(await hasTable(db, 'knex_migrations_lock')))
    return { made: [], oldestVersion: null, isLocked: false };
  const made = await db<{ name: string }>('knex_migrations').orderBy('id').pluck('name');
  const lock = await db('knex_migrations_lock').where({ is_locked: 1 }).first('is_locked');
  // After the names: a migration that another instance makes in between must not be taken for one that we run with.
  const stored = (await hasTable(db, 'schema_compatibility'))
    ? await db<{ oldest_version: string }>('schema_compatibility').first('oldest_version')
    : undefined;
  return { made, oldestVersion: stored?.oldest_version ?? null, isLocked: lock !== undefined };
}

async function hasTable(db: Knex, name: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: readonly { readonly known: boolean }[] }>(
    'select to_regclass(?) is not null as known',
    [name],
  );
  return rows[0]?.known === true;
}

/**
 * Ten instances that start at once migrate once: the others wait for the lock, which goes with its
 * connection, and find nothing left to do. Knex's own lock outlives a process that was killed.
 */
const locked = <Done>(url: string, work: (db: Knex) => Promise<Done>): Promise<Done> =>
  withErrorMapping(async () => {
    const holder = new pg.Client(clientConfig(url, LONG_PATIENCE));
    holder.on('error', () => {});
    const db = connect(url, LONG_PATIENCE, 2);
    try {
      await holder.connect();
      await holder.query(
        "select pg_advisory_lock(hashtextextended('oddswire migrations ' || current_schema(), 0))",
      );
      await db.migrate.forceFreeMigrationsLock();
      return await work(db);
    } finally {
      await disconnect(db);
      await holder.end();
    }
  });
