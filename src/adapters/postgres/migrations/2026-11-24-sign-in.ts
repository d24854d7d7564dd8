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
 * By which operators find an account: the part of a key that people see (D42). Null is for keys of before, which the next
 * migration fills in, and for instances of the version before, which go on issuing keys while this one is rolled out.
 */
async function keyPrefixes(db: Knex): Promise<void> {
  await db.schema.alterTable('api_key', (table) => table.text('prefix'));
}
