import type { Knex } from 'knex';

export const oldestVersion = '0.1.0';

/**
 * Destinations (D66): what their owners want, with the state and the progress of their deliveries, the tries that are shown, and
 * the counters of all. `version` numbers the changes by owners and operators; the process that delivers reads those after the
 * last one that it knows. Its own steps write `state`, `n`, `mark`, `generation` and `batch`.
 */
const TABLES: readonly string[] = [
  `create table destination (
     id text primary key,
     account_id text not null references account (id),
     version bigint not null,
     body json,
     state json not null,
     n bigint not null,
     mark text not null,
     generation integer not null,
     batch json,
     token_hash text,
     removed_at timestamptz
   )`,
  "comment on column destination.n is 'the change of the feed up to which its receiver has everything'",
  "comment on column destination.body is 'null: removed; the row says so to the process that delivers, for a day'",
  'create unique index destination_version on destination (version)',
  'create index destination_account on destination (account_id)',
  'create unique index destination_token on destination (token_hash) where token_hash is not null',
  'create index destination_removed on destination (removed_at) where removed_at is not null',
  `create table destination_delivery (
     n bigint generated always as identity primary key,
     destination_id text not null,
     at timestamptz not null,
     entry json not null
   )`,
  'create index destination_delivery_shown on destination_delivery (destination_id, n)',
  'create index destination_delivery_at on destination_delivery (at)',
  `create table destination_counter (
     is_only boolean primary key default true check (is_only),
     version bigint not null,
     generation integer not null,
     reset_at timestamptz
   )`,
  "comment on column destination_counter.generation is 'how often every receiver was to be told that the feed returned to an older state'",
  'insert into destination_counter (version, generation) values (0, 0)',
];

export async function up(db: Knex): Promise<void> {
  for (const sql of TABLES) await db.raw(sql);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table destination_counter, destination_delivery, destination');
}
