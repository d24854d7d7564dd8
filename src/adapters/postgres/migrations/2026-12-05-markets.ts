import type { Knex } from 'knex';

export const oldestVersion = '0.1.0';

/**
 * The directory of markets (D65): its generations, what each item says about each market, the rows that are computed from
 * this, and the keys by which markets are found, with the leases of the job that follows the log. Ids are in the order of their bytes,
 * as in memory.
 *
 * Few indexes begin with the generation. Until the first `analyze`, Postgres estimates one row for a new generation, and prefers
 * an index that begins with it to the right one: each block of a rebuild would then read all rows of the generation.
 */
const TABLES: readonly string[] = [
  `create table market_generation (
     id bigint generated always as identity primary key,
     n bigint not null,
     mark text not null,
     walked_to timestamptz(6),
     is_served boolean not null default false,
     is_ended boolean not null default false
   )`,
  "comment on column market_generation.n is 'the change of the feed that the rows have; with another mark, they are built anew'",
  `create unique index market_generation_built on market_generation (is_served)
     where not is_ended`,
  `create table market_item (
     generation bigint not null,
     market_id text collate "C" not null,
     kind text collate "C" not null,
     scored_at timestamptz(6) not null,
     item_id text not null,
     main_market_id text,
     venue text,
     facts text not null,
     keys_hash text not null,
     primary key (generation, market_id, kind, scored_at, item_id)
   )`,
  'create index market_item_item on market_item (item_id, generation)',
  `create table market (
     generation bigint not null,
     market_id text collate "C" not null,
     kind text collate "C" not null,
     main_market_id text,
     venue text,
     facts text not null,
     keys_hash text not null,
     first_news_at timestamptz(6) not null,
     last_news_at timestamptz(6) not null,
     news_count integer not null,
     primary key (market_id, kind, generation)
   )`,
  'create index market_news on market (last_news_at desc, market_id, kind, generation)',
  'create index market_main on market (main_market_id, generation) where main_market_id is not null',
  `create table market_key (
     generation bigint not null,
     key text collate "C" not null,
     market_id text collate "C" not null,
     kind text collate "C" not null,
     primary key (generation, key, market_id, kind)
   )`,
  'create index market_key_market on market_key (market_id, kind, generation)',
  'create table held_lease (job text primary key, holder text not null, held_until timestamptz not null)',
];

export async function up(db: Knex): Promise<void> {
  for (const sql of TABLES) await db.raw(sql);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table held_lease, market_generation, market_item, market, market_key');
}
