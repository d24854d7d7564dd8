import type { Knex } from 'knex';
import { TERMS } from '../../../domain/feed/filters/item-terms.js';
import { storedTermsOf } from './stored-terms.js';

type VersionRow = { readonly json: Buffer | null; readonly sub_market_ids: readonly string[] };

/** The versions of an id that have left the feed. */
export async function versionsOf(tx: Knex.Transaction, id: string): Promise<readonly VersionRow[]> {
  const { rows } = await tx.raw<{ rows: readonly VersionRow[] }>(
    'select json, sub_market_ids from item_version where id = ?',
    [id],
  );
  return rows;
}

/** Erases the texts of the versions, and their terms that no item has. The caller has removed the item from the feed. */
export async function erase(
  tx: Knex.Transaction,
  id: string,
  versions: readonly VersionRow[],
): Promise<void> {
  await tx.raw('update item_version set json = null where id = ? and json is not null', [id]);
  const names = new Set(
    versions.flatMap(({ json, sub_market_ids: subMarketIds }) =>
      json === null ? [] : storedTermsOf(TERMS.listsOf({ json, subMarketIds }), TERMS).names,
    ),
  );
  // A writer that has found a term and has not committed its item holds the lock of an insert. The feed lock does not
  // keep out the job that indexes items.
  await tx.raw('lock table term in share row exclusive mode');
  await tx.raw(UNUSED_TERMS_DELETED, [[...names]]);
}

/**
 * Most terms are those of a new item too. Only for the others the index is asked: it reads every item of a term, so a common
 * one would take long under the feed lock.
 */
const UNUSED_TERMS_DELETED = `
with common as materialized (
  select distinct unnest(terms) as id from (
    select terms from item_terms order by scored_at desc limit 1000
  ) as newest
), rare as materialized (
  select id from term where name = any(?::text[]) and id not in (select id from common)
)
delete from term using rare
where term.id = rare.id and not exists (select from item_terms where terms @> array[rare.id])`;
