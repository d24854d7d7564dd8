import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import { VERSION } from '../../settings/version.js';
import { connect, disconnect, LONG_TIMEOUTS, newSession } from './connection.js';
import { MIGRATIONS, type SchemaMigration } from './migrations/migrations.js';
import { newestVersion, type SchemaFit, type SchemaState, schemaFit } from './schema-fit.js';
import { withErrorMapping } from './unavailable-database.js';

/** A version of the service and the migrations it knows, in the order of their application. */
export type Release = {
  readonly version: string;
  readonly migrations: ReadonlyMap<string, SchemaMigration>;
};

const THIS_RELEASE: Release = { version: VERSION, migrations: MIGRATIONS };

/** 10 minutes. */
const LOCK_ATTEMPTS_MAX = 6_000;
const LOCK_PAUSE_MS = 100;

export type Migrated = {
  readonly applied: readonly string[];
  /** Migrations of a newer version. If there are any, this version runs with them and applies none itself. */
  readonly newer: readonly string[];
};

/** Migrates the database to the newest schema. Throws an error for operators if this version cannot run on the schema. */
export async function migrate(url: string, release: Release = THIS_RELEASE): Promise<Migrated> {
  // Checked without the lock first, because the lock needs writes. If no migration is pending, an instance can
  // therefore start on a read-only database.
  const found = await stateOf(url);
  const { newer, pending } = admit(release, found);
  const isComplete = pending.length === 0 && found.oldestVersion !== null && !found.isLocked;
  if (newer.length > 0 || isComplete) return { applied: [], newer };
  return locked(url, (db) => applyPending(db, release));
}

/** Like `migrate`, but applies no migration. Throws an error for operators if one is pending. */
export async function requireNewestSchema(url: string, release: Release = THIS_RELEASE): Promise<Migrated> {
  const { newer, pending } = admit(release, await stateOf(url));
  if (pending.length > 0) {
    throw new Error('the database does not have the newest schema, and MIGRATE is off: run npm run migrate');
  }
  return { applied: [], newer };
}

/** How a release fits to the schema of a database. Changes nothing. */
export async function readSchemaFit(
  url: string,
  { version, migrations }: Release = THIS_RELEASE,
): Promise<SchemaFit & { readonly applied: number }> {
  const state = await stateOf(url);
  return { ...schemaFit(version, [...migrations.keys()], state), applied: state.applied.length };
}

/** Reverts the newest migration. Returns the names of the reverted migrations. */
export const revertMigration = (url: string, release: Release = THIS_RELEASE): Promise<readonly string[]> =>
  locked(url, async (db) => {
    const { newer } = admit(release, await readState(db));
    if (newer.length > 0) {
      throw new Error(`only a newer version can revert its migrations: ${newer.join(', ')}`);
    }
    await db.raw(CREATE_COMPATIBILITY);
    const names = [...release.migrations.keys()];
    const [, reverted] = await db.migrate.down({
      ...configOf(release),
      afterEach: (transaction: Knex, [name]: readonly unknown[]) =>
        storeOldestVersion(transaction, release, names.slice(0, names.indexOf(String(name)))),
    });
    return reverted;
  });

async function applyPending(db: Knex, release: Release): Promise<Migrated> {
  // Checked again under the lock: another instance, even one of a newer version, may have migrated meanwhile.
  const { newer } = admit(release, await readState(db));
  if (newer.length > 0) return { applied: [], newer };
  await db.raw(CREATE_COMPATIBILITY);
  const names = [...release.migrations.keys()];
  const [, applied] = await db.migrate.latest({
    ...configOf(release),
    // Stored before the migration, and in its transaction if it has one, so that no older version can start on an
    // incomplete schema.
    beforeEach: (transaction: Knex, [name]: readonly unknown[]) =>
      storeOldestVersion(transaction, release, names.slice(0, names.indexOf(String(name)) + 1)),
  });
  await storeOldestVersion(db, release, names);
  return { applied, newer };
}

/**
 * The migrations that only the schema has (`newer`), and those that only the release has (`pending`). Throws if the
 * release may not run on the schema.
 */
function admit(
  { version, migrations }: Release,
  state: SchemaState,
): { readonly newer: readonly string[]; readonly pending: readonly string[] } {
  const fit = schemaFit(version, [...migrations.keys()], state);
  if (fit.fit === 'refused') throw new Error(fit.reason);
  return fit.fit === 'newer' ? { newer: fit.newer, pending: [] } : { newer: [], pending: fit.pending };
}

/** Disables the validation of knex, which refuses every schema with an unknown migration: `schemaFit` decides instead. */
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
 * A table of one row. No migration creates it: versions older than this table refuse every schema with an unknown
 * migration, and these versions must be able to restart during a rolling update.
 */
const CREATE_COMPATIBILITY = `create table if not exists schema_compatibility (
  is_only_row boolean primary key default true check (is_only_row),
  oldest_version text not null
)`;

/** Stores the oldest version that a schema with these migrations needs. Deletes it for a schema without migrations. */
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

/** `isLocked`: a migration is running, or a process was killed during one. */
type FoundState = SchemaState & { readonly isLocked: boolean };

async function stateOf(url: string): Promise<FoundState> {
  const db = connect(url, LONG_TIMEOUTS, 1);
  try {
    return await withErrorMapping(() => readState(db));
  } finally {
    await disconnect(db);
  }
}

/** Reads the state without a write. It checks for the lock table, because knex creates this table last. */
async function readState(db: Knex): Promise<FoundState> {
  if (!(await hasTable(db, 'knex_migrations_lock')))
    return { applied: [], oldestVersion: null, isLocked: false };
  const applied = await db<{ name: string }>('knex_migrations').orderBy('id').pluck('name');
  const lock = await db('knex_migrations_lock').where({ is_locked: 1 }).first('is_locked');
  // Read after the names: otherwise a migration that another instance applies in between could pass as compatible.
  const stored = (await hasTable(db, 'schema_compatibility'))
    ? await db<{ oldest_version: string }>('schema_compatibility').first('oldest_version')
    : undefined;
  return { applied, oldestVersion: stored?.oldest_version ?? null, isLocked: lock !== undefined };
}

async function hasTable(db: Knex, name: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: readonly { readonly known: boolean }[] }>(
    'select to_regclass(?) is not null as known',
    [name],
  );
  return rows[0]?.known === true;
}

/**
 * Runs `work` under an advisory lock, so that only one of several instances that start together migrates. Postgres
 * frees this lock when its connection ends. The lock of knex remains if a process is killed, so it is freed here first.
 */
const locked = <Done>(url: string, work: (db: Knex) => Promise<Done>): Promise<Done> =>
  withErrorMapping(async () => {
    const holder = newSession(url, LONG_TIMEOUTS);
    holder.on('error', () => {});
    const db = connect(url, LONG_TIMEOUTS, 2);
    try {
      await holder.connect();
      await takeLock(holder);
      await db.migrate.forceFreeMigrationsLock();
      return await work(db);
    } finally {
      await disconnect(db);
      await holder.end();
    }
  });

/**
 * Asks for the lock again and again. A statement that waits for the lock would have a snapshot, and an index that the
 * holder of the lock builds concurrently would wait for the end of that statement.
 */
async function takeLock(holder: pg.Client): Promise<void> {
  for (let attempt = 1; attempt <= LOCK_ATTEMPTS_MAX; attempt += 1) {
    const { rows } = await holder.query<{ readonly taken: boolean }>(
      "select pg_try_advisory_lock(hashtextextended('oddswire migrations ' || current_schema(), 0)) as taken",
    );
    if (rows[0]?.taken === true) return;
    await setTimeout(LOCK_PAUSE_MS);
  }
  throw new Error('another process has been migrating the database for more than 10 minutes');
}
