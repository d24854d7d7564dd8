import type { Knex } from 'knex';

export const oldestVersion = '0.1.0';

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('ticket', (table) => {
    table.text('hash').primary();
    table.specificType('body', 'json').notNullable();
    table.timestamp('expires_at', { useTz: true, precision: 6 }).notNullable().index();
  });
  await db.schema.createTable('session', (table) => {
    table.text('hash').primary();
    table.text('holder_name').notNullable().index();
    table.specificType('holder', 'json').notNullable();
    table.timestamp('started_at', { useTz: true, precision: 6 }).notNullable();
    table.timestamp('seen_at', { useTz: true, precision: 6 }).notNullable();
    table.timestamp('ends_at', { useTz: true, precision: 6 }).notNullable().index();
  });
  await db.schema.createTable('identity', (table) => {
    table.text('issuer').notNullable();
    table.text('subject').notNullable();
    table.text('account_id').notNullable().references('account.id').index();
    table.timestamp('joined_at', { useTz: true, precision: 6 }).notNullable();
    table.primary(['issuer', 'subject']);
  });
  await keyPrefixes(db);
}

export async function down(db: Knex): Promise<void> {
  await db.schema.alterTable('api_key', (table) => table.dropColumn('prefix'));
  for (const table of ['identity', 'session', 'ticket']) await db.schema.dropTable(table);
}

/**
 * The visible prefix of a key, by which operators find an account (D42). It is null for existing keys, which the next
 * migration fills in, and for keys that instances of the previous version issue during a rolling update.
 */
async function keyPrefixes(db: Knex): Promise<void> {
  await db.schema.alterTable('api_key', (table) => table.text('prefix'));
}
