import type { Knex } from 'knex';

export const oldestVersion = '0.1.0';

/** No word of `api_key`: that a key is there was seen when it was used, and to look again would cost a lock of its row. */
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
