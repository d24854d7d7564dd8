import type { Knex } from 'knex';

export const oldestVersion = '0.1.0';

/** Not in a transaction: key lookups must not wait, and an interrupted run keeps what it has written. */
export const config = { transaction: false };

const BATCH = 1_000;

/** Fills in the prefixes of existing keys in batches and creates their index. */
export async function up(db: Knex): Promise<void> {
  for (let last: string | null = ''; last !== null; ) last = await fillAfter(db, last);
  // Not `concurrently`: that waits for all other transactions, and one of them may wait for our advisory lock.
  await db.raw('create index if not exists api_key_prefix on api_key (prefix)');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index if exists api_key_prefix');
}

/** Returns the id of the last key in the batch; null when there are no more keys. */
async function fillAfter(db: Knex, id: string): Promise<string | null> {
  const { rows } = await db.raw<{ rows: readonly { readonly last: string | null }[] }>(
    `with batch as (
       select id, account_id from api_key where id > ? order by id limit ${BATCH}
     ), filled as (
       update api_key set prefix = kept.key ->> 'prefix'
       from batch
         join account on account.id = batch.account_id,
         json_array_elements(account.body -> 'keys') as kept (key)
       where api_key.id = batch.id and api_key.prefix is null and kept.key ->> 'id' = batch.id
     )
     select max(id) as last from batch`,
    [id],
  );
  return rows[0]?.last ?? null;
}
