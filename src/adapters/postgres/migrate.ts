import type { Knex } from 'knex';
import pg from 'pg';
import { ownValue } from '../../domain/own-value.js';
import { clientConfig, connect, disconnect, LONG_PATIENCE } from './connection.js';
import * as stores from './migrations/2026-11-21-stores.js';
import * as payments from './migrations/2026-11-22-payments.js';
import * as usage from './migrations/2026-11-23-usage.js';
import * as signIn from './migrations/2026-11-24-sign-in.js';
import * as keyPrefixes from './migrations/2026-11-25-key-prefixes.js';
import { answered } from './unavailable-database.js';

/** In the order they are made; a name, once released, never changes. */
const MIGRATIONS: Readonly<Record<string, Knex.Migration>> = {
  '2026-11-21-stores': stores,
  '2026-11-22-payments': payments,
  '2026-11-23-usage': usage,
  '2026-11-24-sign-in': signIn,
  '2026-11-25-key-prefixes': keyPrefixes,
};

const source: Knex.MigrationSource<string> = {
  getMigrations: async () => Object.keys(MIGRATIONS),
  getMigrationName: (name) => name,
  getMigration: async (name) => ownValue(MIGRATIONS, name) ?? { up: async () => {}, down: async () => {} },
};

/** Brings the database to the newest schema. Answers the names of the migrations that were made. */
export async function migrate(url: string): Promise<readonly string[]> {
  // The lock is a write: where nothing is to be made, an instance starts on a database that can only be read, too.
  if (await hasNewestSchema(url)) return [];
  return locked(url, async (db) => {
    const [, names] = await db.migrate.latest({ migrationSource: source });
    return names;
  }).catch((fault: unknown) => {
    if (fault instanceof Error && NEWER.test(fault.message)) {
      throw new Error('the database has a newer schema than this version of the service: run that version');
    }
    throw fault;
  });
}

/** Every migration was made, and no instance has died over one. */
async function hasNewestSchema(url: string): Promise<boolean> {
  const db = connect(url, LONG_PATIENCE, 1);
  try {
    return await answered(async () => {
      const { rows } = await db.raw<Rows<{ known: boolean }>>(
        "select to_regclass('knex_migrations') is not null as known",
      );
      if (rows[0]?.known !== true) return false;
      const made = await db<{ name: string }>('knex_migrations').pluck('name');
      const locked = await db('knex_migrations_lock').where({ is_locked: 1 }).first('is_locked');
      const names = Object.keys(MIGRATIONS);
      return (
        locked === undefined && made.length === names.length && names.every((name) => made.includes(name))
      );
    });
  } finally {
    await disconnect(db);
  }
}

type Rows<Row> = { readonly rows: readonly Row[] };

/** What knex says of a migration that was made and that it does not know. */
const NEWER = /migration directory is corrupt/;

/** Takes the newest migration back. Answers the names of those that were taken back. */
export const migrateBack = (url: string): Promise<readonly string[]> =>
  locked(url, async (db) => {
    const [, names] = await db.migrate.down({ migrationSource: source });
    return names;
  });

/** Throws in words when the database has not the newest schema. */
export async function refuseOldSchema(url: string): Promise<void> {
  const db = connect(url, LONG_PATIENCE, 1);
  try {
    const [, pending] = await answered(() => db.migrate.list({ migrationSource: source }));
    if (pending.length > 0) {
      throw new Error('the database has not the newest schema, and MIGRATE is off: run npm run migrate');
    }
  } finally {
    await disconnect(db);
  }
}

/**
 * Ten instances that start at once migrate once: the others wait for the lock, which goes with its
 * connection, and find nothing left to do. Knex's own lock outlives a process that was killed.
 */
const locked = (url: string, work: (db: Knex) => Promise<readonly string[]>) =>
  answered(async () => {
    const holder = new pg.Client(clientConfig(url, LONG_PATIENCE));
    holder.on('error', () => {});
    const db = connect(url, LONG_PATIENCE, 2);
    try {
      await holder.connect();
      await holder.query(
        "select pg_advisory_lock(hashtextextended('oddswire migrations ' || current_schema(), 0))",
      );
      await db.migrate.forceFreeMigrationsLock({ migrationSource: source });
      return await work(db);
    } finally {
      await disconnect(db);
      await holder.end();
    }
  });
