import type { Knex } from 'knex';

export const oldestVersion = '0.1.0';

/**
 * The words of the title of each market (D65), in an index of their own: it finds the markets that have all words at once. As rows of
 * `market_key`, one for each word, the markets of each word were read and counted. With `fastupdate`, each search would also read a list of
 * pending entries, to make writes faster; but titles change seldom.
 */
const TABLES: readonly string[] = [
  `create table market_title (
     generation bigint not null,
     market_id text collate "C" not null,
     kind text collate "C" not null,
     words text[] collate "C" not null,
     primary key (market_id, kind, generation)
   )`,
  'create index market_title_words on market_title using gin (words) with (fastupdate = off)',
];

/** Only states of development before this one have a directory without the table. */
export async function up(db: Knex): Promise<void> {
  for (const sql of TABLES) await db.raw(sql);
  await db.raw(
    `with moved as (delete from market_key where starts_with(key, 'word:') returning *)
     insert into market_title (generation, market_id, kind, words)
     select generation, market_id, kind, array_agg(substr(key, 6)) from moved group by generation, market_id, kind`,
  );
}

export async function down(db: Knex): Promise<void> {
  await db.raw(
    `insert into market_key (generation, key, market_id, kind)
     select generation, 'word:' || word, market_id, kind from market_title, unnest(words) as word
     on conflict do nothing`,
  );
  await db.raw('drop table market_title');
}
