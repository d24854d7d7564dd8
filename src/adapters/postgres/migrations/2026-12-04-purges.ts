import type { Knex } from 'knex';

export const oldestVersion = '0.1.0';

/** Who purged an item, and why (D62). Its id and the time are those of the change with the number `n` in `feed_change`. */
export async function up(db: Knex): Promise<void> {
  await db.raw('create table purge (n bigint primary key, actor text not null, reason text not null)');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table purge');
}
