import type { Knex } from 'knex';

export const oldestVersion = '0.1.0';

/** What operators ordered for items, and why (D127). It has the form of `audit`. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table item_audit (
      n bigint generated always as identity primary key,
      item_id text not null,
      entry json not null
    );
    create index item_audit_of_item on item_audit (item_id, n)`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table item_audit');
}
