import type { Knex } from 'knex';
import { createIndex } from './concurrent-index.js';
import { withShortLocks } from './with-short-locks.js';

export const oldestVersion = '0.1.0';

/** Not in one transaction, because a large index is built concurrently. Each statement can be repeated. */
export const config = { transaction: false };

/**
 * The version of the terms of an item (D57). No row is written for it: the terms of existing items are of version 1, and
 * so are those that an earlier version of the service stores, which sets `has_terms` only.
 */
export async function up(db: Knex): Promise<void> {
  await withShortLocks(db, async (tx) => {
    await tx.raw('alter table item add column if not exists terms_version smallint');
    await tx.raw(
      "comment on column item.terms_version is 'null: version 1, or none if has_terms is null too'",
    );
  });
  await createIndex(db, ITEMS_WITH_OLDER_TERMS);
  await createIndex(db, PACKS);
}

/** The items that a filter by a facet of version 2 tests one by one. The next version needs an index of its own. */
const ITEMS_WITH_OLDER_TERMS = {
  name: 'item_with_older_terms',
  table: 'item',
  definition: '(scored_at) where has_terms is null or terms_version is null or terms_version < 2',
};

/**
 * Some terms are stored as one, whose name has all of them, one a line. There are few such names, and most items have known
 * ones, so each change of the index is written at once.
 */
const PACKS = {
  name: 'term_packs',
  table: 'term',
  definition: `using gin (string_to_array(name, E'\\n')) with (fastupdate = off) where name like 'pack:%'`,
};

/** Dropping the column also drops its index. */
export const down = (db: Knex): Promise<void> =>
  withShortLocks(db, async (tx) => {
    await tx.raw('drop index if exists term_packs');
    await tx.raw('alter table item drop column if exists terms_version');
  });
