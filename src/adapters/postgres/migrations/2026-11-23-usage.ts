import type { Knex } from 'knex';

export const oldestVersion = '0.1.0';

/** No foreign key to `api_key`: the gate has found the key already, and the check would lock the row of the key. */
export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('usage', (table) => {
    table.text('key_id').notNullable();
    table.timestamp('hour', { useTz: true, precision: 6 }).notNullable().comment('when it begins').index();
    table.text('status_class').notNullable();
    table.bigInteger('requests').notNullable();
    table.primary(['key_id', 'hour', 'status_class']);
  });
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('usage');
}
