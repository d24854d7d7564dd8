import type { Knex } from 'knex';
import type { Release } from '../../../src/adapters/postgres/migrate.js';
import { MIGRATIONS, type SchemaMigration } from '../../../src/adapters/postgres/migrations/migrations.js';
import { VERSION } from '../../../src/settings/version.js';

/** A version that is later than any real one. */
export const LATER_VERSION = '1000.0.0';

type Named = SchemaMigration & { readonly name: string };

/** Adds a column that this version neither reads nor writes. */
export const ADDITIVE: Named = {
  name: '2999-01-01-note',
  oldestVersion: VERSION,
  up: (db) =>
    db.schema.alterTable('account', (table) => {
      table.text('note').defaultTo('').notNullable();
    }),
  down: (db) =>
    db.schema.alterTable('account', (table) => {
      table.dropColumn('note');
    }),
};

/** Renames a table that this version reads. */
export const BREAKING: Named = {
  name: '2999-01-02-renamed-keys',
  oldestVersion: LATER_VERSION,
  up: (db) => db.schema.renameTable('api_key', 'credential'),
  down: (db) => db.schema.renameTable('credential', 'api_key'),
};

/** A later version with further migrations. */
export const laterRelease = (...further: readonly Named[]): Release => ({
  version: LATER_VERSION,
  migrations: new Map([...MIGRATIONS, ...further.map((migration) => [migration.name, migration] as const)]),
});

/** Whether the additive migration has run. */
export const noteColumn = (db: Knex): Promise<boolean> => db.schema.hasColumn('account', 'note');
