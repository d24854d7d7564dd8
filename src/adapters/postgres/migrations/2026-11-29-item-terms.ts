import type { Knex } from 'knex';
import { createIndex } from './concurrent-index.js';
import { withShortLocks } from './with-short-locks.js';

export const oldestVersion = '0.1.0';

/** Not in one transaction, so that each lock ends with its statement. Each statement can be repeated. */
export const config = { transaction: false };

/**
 * The terms by which items are found (`domain/feed/filters/item-terms.ts`), keyed by the time of the item, which is unique. A
 * term is stored once and referred to by its number: the table of the terms of all items must be small, because a search
 * may read much of it. `item_facet` has the codes of the items in the order of their times, so that a page of one code is
 * read as fast as any other page.
 *
 * An index entry for each word of each new item would be slow: Postgres collects some items in a list before it adds them
 * to the index. The list is short, because every search reads it too.
 */
const UP: readonly string[] = [
  'alter table item add column if not exists has_terms boolean',
  "comment on column item.has_terms is 'null: not yet; version 0.2.0 stores no terms'",
  'create table if not exists term (id integer generated always as identity primary key, name text not null unique)',
  `create table if not exists item_terms (
     scored_at timestamptz(6) primary key, terms integer[] not null, facets integer[] not null
   )`,
  "comment on column item_terms.facets is 'the terms that are also in item_facet'",

  'create index if not exists item_terms_terms on item_terms using gin (terms) with (gin_pending_list_limit = 256)',
  `create table if not exists item_facet (
     term integer not null, scored_at timestamptz(6) not null, primary key (term, scored_at)
   )`,
];

/** At first it has every item: publishers would wait for seconds while it is built on a large feed. */
const ITEMS_WITHOUT_TERMS = {
  name: 'item_without_terms',
  table: 'item',
  definition: '(scored_at) where has_terms is null',
};

export async function up(db: Knex): Promise<void> {
  for (const sql of UP) await withShortLocks(db, (tx) => tx.raw(sql));
  await createIndex(db, ITEMS_WITHOUT_TERMS);
  await withShortLocks(db, trigger);
}

/** Dropping the column also drops its index. */
export async function down(db: Knex): Promise<void> {
  await withShortLocks(db, async (tx) => {
    await tx.raw('drop trigger if exists item_terms_deleted on item');
    await tx.raw('drop function if exists delete_item_terms()');
    await tx.raw('alter table item drop column if exists has_terms');
    await tx.raw('drop table if exists item_facet, item_terms, term');
  });
}

/**
 * A trigger deletes the terms of an item, whoever deletes the item: this version, the previous one, or an operator with
 * SQL. It deletes by key, row by row: plans of a function are kept, and the plan of a join that was made while the tables
 * were nearly empty would be slow later.
 */
async function trigger(tx: Knex.Transaction): Promise<void> {
  const { rows } = await tx.raw<{ rows: readonly { readonly name: string }[] }>(
    'select quote_ident(current_schema()) as name',
  );
  await tx.raw(
    `create or replace function delete_item_terms() returns trigger language plpgsql security definer
     set search_path = ${rows[0]?.name}, pg_temp set enable_seqscan = off set jit = off as $$
     declare
       own integer[];
     begin
       delete from item_terms where scored_at = old.scored_at returning facets into own;
       delete from item_facet where term = any (own) and scored_at = old.scored_at;
       return null;
     end $$`,
  );
  await tx.raw('drop trigger if exists item_terms_deleted on item');
  await tx.raw(
    `create trigger item_terms_deleted after delete on item
     for each row when (old.has_terms) execute function delete_item_terms()`,
  );
}
