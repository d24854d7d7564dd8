import type { Knex } from 'knex';

export const oldestVersion = '0.1.0';

/** The last requests of each key (D74). No foreign key to `api_key`, as for `usage`: the check would lock the row of the key. */
const TABLES: readonly string[] = [
  `create table request_log (
     n bigint generated always as identity primary key,
     key_id text not null,
     at timestamptz(6) not null,
     method text not null,
     path text not null,
     query text not null,
     status integer not null,
     code text,
     duration_ms double precision not null,
     bytes bigint,
     request_id text not null,
     network text not null
   )`,
  'create index request_log_key on request_log (key_id, at)',
  'create index request_log_at on request_log (at)',
];

export async function up(db: Knex): Promise<void> {
  for (const sql of TABLES) await db.raw(sql);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table request_log');
}
