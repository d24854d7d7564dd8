import type { Knex } from 'knex';
import { isFacet, type Term } from '../../../domain/feed/filters/item-terms.js';
import type { Moment } from '../../../domain/moment.js';

/** A stored item, by its time, with its terms. */
export type TermsOfItem = { readonly scoredAt: Moment; readonly terms: ReadonlySet<Term> };

/** Stores the terms of items that have none. The caller marks the items in the same transaction (`has_terms`). */
export async function insertItemTerms(tx: Knex.Transaction, items: readonly TermsOfItem[]): Promise<void> {
  if (items.length === 0) return;
  const idOf = await idsOf(tx, [...new Set(items.flatMap(({ terms }) => [...terms]))]);
  const rows = items.map(({ scoredAt, terms }) => ({
    scoredAt,
    terms: [...terms].map(idOf),
    facets: [...terms].filter(isFacet).map(idOf),
  }));
  await tx.raw(
    `with item as (
       insert into item_terms (scored_at, terms, facets)
       select sent.scored_at, sent.terms::integer[], sent.facets::integer[]
       from unnest(?::timestamptz[], ?::text[], ?::text[]) as sent (scored_at, terms, facets)
       on conflict (scored_at) do update set terms = excluded.terms, facets = excluded.facets
       returning scored_at, facets
     )
     insert into item_facet (term, scored_at)
     select one.term, item.scored_at from item, unnest(item.facets) as one (term) on conflict do nothing`,
    [
      rows.map(({ scoredAt }) => scoredAt),
      rows.map(({ terms }) => arrayText(terms)),
      rows.map(({ facets }) => arrayText(facets)),
    ],
  );
}

const arrayText = (ids: readonly number[]): string => `{${ids.join()}}`;

/** The ids of terms. Adds those that are new. */
async function idsOf(tx: Knex.Transaction, names: readonly Term[]): Promise<(name: Term) => number> {
  const ids = new Map<string, number>();
  const read = async (wanted: readonly Term[]) => {
    const { rows } = await tx.raw<{ rows: readonly { readonly id: number; readonly name: string }[] }>(
      'select id, name from term where name = any(?::text[])',
      [[...wanted]],
    );
    for (const { id, name } of rows) ids.set(name, id);
  };
  await read(names);
  const added = names.filter((name) => !ids.has(name));
  if (added.length > 0) {
    // Sorted, so that two writers that add the same terms wait for each other only in one direction.
    await tx.raw('insert into term (name) select unnest(?::text[]) on conflict do nothing', [
      added.toSorted(),
    ]);
    // A separate statement, because its snapshot must have the terms that another writer has added meanwhile.
    await read(added);
  }
  return (name) => {
    const id = ids.get(name);
    if (id === undefined) throw new Error('a term that was added is missing');
    return id;
  };
}
