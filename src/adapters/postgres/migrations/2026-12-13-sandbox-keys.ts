import type { Knex } from 'knex';

export const oldestVersion = '0.1.0';

/**
 * The sandbox key of each account (D77). No foreign key to `account`, as for `usage`: a key is stored under the lock of its account, and
 * a version that does not know this table may delete the account.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(
    `create table sandbox_key (
       account_id text primary key,
       hash text not null unique,
       prefix text not null,
       created_at timestamptz(6) not null
     )`,
  );
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table sandbox_key');
}
