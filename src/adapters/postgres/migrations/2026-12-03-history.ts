import type { Knex } from 'knex';
import { defineFunctions, type LogFunction } from './2026-11-26-change-logs.js';
import { createIndex } from './concurrent-index.js';
import { withShortLocks } from './with-short-locks.js';

export const oldestVersion = '0.1.0';

/** Not in one transaction: publishers wait for a step only for its own few milliseconds. Each statement can be repeated. */
export const config = { transaction: false };

/**
 * Every version of every item (D59). A version that is in the feed is a row of `item`. Triggers copy it to `item_version` when
 * it leaves `item`, whoever deletes or replaces it: this version, the previous one, or an operator with SQL. A version is in
 * the feed at change `p` if `n <= p < until_n`.
 */
const TABLES: readonly string[] = [
  `alter table feed_change add column if not exists known_at timestamptz(6),
     add column if not exists head timestamptz(6), add column if not exists revision integer,
     add column if not exists is_superseded boolean`,
  "comment on column feed_change.known_at is 'null: before the history'",
  "comment on column feed_change.head is 'the head of the feed after the change; null also before the history'",
  "comment on column feed_change.revision is 'how often the id has changed; null if it is older than the history'",
  "comment on column feed_change.is_superseded is 'the same publication has a later change of the id; only by version 0.2.0'",
  `create table if not exists item_version (
     id text not null,
     n bigint not null,
     until_n bigint not null,
     scored_at timestamptz(6) not null,
     json bytea,
     sub_market_ids text[] not null,
     primary key (id, n)
   )`,
  "comment on column item_version.json is 'null: purged'",
  'create index if not exists item_version_scored_at on item_version (scored_at) include (n, until_n, id)',
  `create table if not exists item_version_sub_market (
     sub_market_id text not null,
     scored_at timestamptz(6) not null,
     id text not null,
     n bigint not null,
     until_n bigint not null,
     primary key (sub_market_id, scored_at, id, n) include (until_n)
   )`,
];

/** Of large tables, so they are built without a lock for writers. */
const INDEXES = [
  { name: 'feed_change_item', table: 'feed_change', definition: '(item_id, n)' },
  {
    name: 'feed_change_known_at',
    table: 'feed_change',
    definition: '(known_at, n) where known_at is not null',
  },
];

/** The unique index of the times, with the numbers: a page of the past skips what was not in the feed without reading it. */
const NUMBERED_TIMES = 'item_scored_at_numbered';

export async function up(db: Knex): Promise<void> {
  for (const sql of TABLES) await withShortLocks(db, (tx) => tx.raw(sql));
  for (const index of INDEXES) await createIndex(db, index);
  await replaceUnique(db, '(scored_at) include (n)');
  await withShortLocks(db, begin);
}

/** Replaces the index of the unique constraint on `item.scored_at`. The constraint keeps its name. */
async function replaceUnique(db: Knex, columns: string): Promise<void> {
  const { rows } = await db.raw<{ rows: readonly { readonly definition: string }[] }>(
    "select pg_get_indexdef(to_regclass('item_scored_at_unique')) as definition",
  );
  if (rows[0]?.definition?.toLowerCase().endsWith(columns)) return;
  await createIndex(db, { name: NUMBERED_TIMES, table: 'item', definition: columns, isUnique: true });
  await withShortLocks(db, async (tx) => {
    await tx.raw('alter table item drop constraint item_scored_at_unique');
    await tx.raw(
      `alter table item add constraint item_scored_at_unique unique using index ${NUMBERED_TIMES}`,
    );
  });
}

export async function down(db: Knex): Promise<void> {
  await withShortLocks(db, async (tx) => {
    for (const [name, table] of TRIGGERS) await tx.raw(`drop trigger if exists ${name} on ${table}`);
    for (const [name] of FUNCTIONS) await tx.raw(`drop function if exists ${name}`);
    await tx.raw('drop table if exists item_version_sub_market, item_version');
    await tx.raw(
      `alter table feed_change drop column if exists known_at, drop column if exists head,
         drop column if exists revision, drop column if exists is_superseded`,
    );
    await tx.raw('drop index if exists feed_change_item');
  });
  await replaceUnique(db, '(scored_at)');
}

/**
 * The history begins at the newest change at the time when the triggers come into force. The lock of the writers of the feed
 * keeps out changes in between.
 */
async function begin(tx: Knex.Transaction): Promise<void> {
  await tx.raw("select pg_advisory_xact_lock(hashtextextended('oddswire feed ' || current_schema(), 0))");
  await defineFunctions(tx, FUNCTIONS);
  for (const [name, table, definition] of TRIGGERS) {
    await tx.raw(`drop trigger if exists ${name} on ${table}`);
    await tx.raw(`create trigger ${name} ${definition}`);
  }
  await tx.raw(
    `update feed_change set known_at = coalesce(at, clock_timestamp()), head = (select head from feed_head)
     where n = (select max(n) from feed_change) and not exists (select from feed_change where known_at is not null)`,
  );
}

/**
 * The earlier change is found in the order by id and number, which only the index on both has. In the order by number, Postgres would
 * read the whole log for a new id if its statistics say that the log has few ids.
 */
export const COMPLETE_FEED_CHANGE: LogFunction = [
  'complete_feed_change()',
  'trigger',
  // Sees the rows that the same statement inserted before this one.
  `declare
     newest record;
     earlier record;
   begin
     select n, known_at, head into newest from feed_change order by n desc limit 1;
     select n, kind, revision, is_own into earlier
     from (
       select item_id, n, kind, revision, xmin = pg_current_xact_id()::xid as is_own from feed_change
       where (item_id, n) <= (new.item_id, 9223372036854775807) order by item_id desc, n desc limit 1
     ) as last
     where item_id = new.item_id;
     if new.known_at is null then
       new.known_at := greatest(
         newest.known_at,
         clock_timestamp() + coalesce((select offset_micros from test_clock), 0) * interval '1 microsecond'
       );
       new.head := greatest(newest.head, new.scored_at);
     end if;
     if new.kind in ('raised', 'start') then return new; end if;
     if earlier.is_own then
       update feed_change set is_superseded = true where n = earlier.n;
       new.revision := earlier.revision;
       new.kind := case when new.scored_at is not null then earlier.kind else new.kind end;
       return new;
     end if;
     -- A version that left the feed in this transaction was replaced by it. Its end is that of the first change of the statement.
     if new.kind is null and new.scored_at is not null then
       new.kind := case when exists (
         select from item_version where id = new.item_id and xmin = pg_current_xact_id()::xid
       ) then 'replaced' else 'published' end;
     end if;
     new.revision := case
       when earlier.n is not null then earlier.revision + 1
       when new.kind = 'published' then 1
     end;
     return new;
   end`,
];

const FUNCTIONS: readonly LogFunction[] = [
  [
    'keep_item_version()',
    'trigger',
    // The change that ends the version is not logged yet. Until then it counts as the next one.
    `declare
       ending bigint := 1 + (select n from feed_change order by n desc limit 1);
     begin
       insert into item_version (id, n, until_n, scored_at, json, sub_market_ids)
       values (old.id, coalesce(old.n, 0), ending, old.scored_at, old.json, old.sub_market_ids)
       on conflict (id, n) do update
       set until_n = excluded.until_n, scored_at = excluded.scored_at, json = excluded.json,
         sub_market_ids = excluded.sub_market_ids;
       insert into item_version_sub_market (sub_market_id, scored_at, id, n, until_n)
       select market.id, old.scored_at, old.id, coalesce(old.n, 0), ending
       from (select distinct unnest(old.sub_market_ids) as id) as market
       on conflict (sub_market_id, scored_at, id, n) do update set until_n = excluded.until_n;
       if tg_op = 'DELETE' then return null; end if;
       -- By an operator: the service replaces whole rows. The new version begins where the old one ends.
       if new.n is not distinct from old.n then new.n := ending; end if;
       return new;
     end`,
  ],
  COMPLETE_FEED_CHANGE,
  [
    'end_item_versions()',
    'trigger',
    // Of a publication of several items, each ends the version of its own id. Version 0.2.0 gives its items no number.
    `declare
       first bigint := (select min(n) from logged);
       ended record;
     begin
       for ended in
         select change.item_id, version.n, version.scored_at, version.sub_market_ids, change.n as until_n
         from (select item_id, max(n) as n from logged group by item_id) as change
         cross join lateral (
           select n, until_n, scored_at, sub_market_ids from item_version where id = change.item_id order by n desc limit 1
         ) as version
         where change.n > first and version.until_n = first
       loop
         update item_version set until_n = ended.until_n where id = ended.item_id and n = ended.n;
         update item_version_sub_market set until_n = ended.until_n
         where sub_market_id = any (ended.sub_market_ids) and scored_at = ended.scored_at
           and id = ended.item_id and n = ended.n;
       end loop;
       update item set n = change.n
       from (select item_id, max(n) as n from logged group by item_id) as change
       where item.id = change.item_id and item.n is null;
       return null;
     end`,
  ],
  ['keep_feed_change()', 'trigger', 'begin return null; end'],
];

const TRIGGERS: readonly (readonly [name: string, table: string, definition: string])[] = [
  ['item_version_kept', 'item', 'after delete on item for each row execute function keep_item_version()'],
  [
    'item_version_replaced',
    'item',
    'before update of json, scored_at on item for each row execute function keep_item_version()',
  ],
  [
    'feed_change_completed',
    'feed_change',
    'before insert on feed_change for each row execute function complete_feed_change()',
  ],
  [
    'item_versions_ended',
    'feed_change',
    `after insert on feed_change referencing new table as logged
     for each statement execute function end_item_versions()`,
  ],
  [
    'feed_change_kept',
    'feed_change',
    'before delete on feed_change for each row execute function keep_feed_change()',
  ],
];
