import type { Knex } from 'knex';
import type { Moment } from '../../../domain/moment.js';
import type { StoredTerms } from './stored-terms.js';

/** A stored item, by its time, with its terms. */
export type TermsOfItem = { readonly scoredAt: Moment; readonly terms: StoredTerms };

/** The ids of terms, by the numbers of their names in the list that was sent, from 1. Null if there are none. */
export type FoundTerms = Readonly<Record<string, number>> | null;
export type TermIds = (name: string) => number;

/**
 * Finds the ids of the terms of two parameters with the same names, and adds the terms that are new. `not in` is a look-up in
 * a hash table, whatever the planner assumes. Names can be long, so their numbers are returned.
 */
export const TERMS = `
sent as materialized (
  select name, number from unnest(?::text[]) with ordinality as one (name, number)
), known as materialized (
  select id, name from term where name = any(?::text[])
), added as (
  insert into term (name) select name from sent where name not in (select name from known)
  order by number on conflict do nothing returning id, name
), found as (
  select json_object_agg(number, id) as terms
  from (select id, name from known union all select id, name from added) as stored join sent using (name)
)`;

export const termValues = (names: readonly string[]): string[][] => [[...names], [...names]];

/** Sorted, so that two writers that add the same terms wait for each other only in one direction. */
export const namesOf = (items: readonly Pick<TermsOfItem, 'terms'>[]): readonly string[] =>
  [...new Set(items.flatMap(({ terms }) => terms.names))].toSorted();

/** Reads the ids of terms that another writer has added meanwhile: the snapshot of the statement before has none of them. */
export async function completed(
  tx: Knex.Transaction,
  names: readonly string[],
  found: FoundTerms,
): Promise<TermIds> {
  const ids = new Map<string, number>();
  for (const [i, name] of names.entries()) {
    const id = found?.[i + 1];
    if (id !== undefined) ids.set(name, id);
  }
  const missing = names.filter((name) => !ids.has(name));
  if (missing.length > 0) {
    const { rows } = await tx.raw<{ rows: readonly { readonly id: number; readonly name: string }[] }>(
      'select id, name from term where name = any(?::text[])',
      [[...missing]],
    );
    for (const { id, name } of rows) ids.set(name, id);
  }
  return (name) => {
    const id = ids.get(name);
    if (id === undefined) throw new Error('a term that was added is missing');
    return id;
  };
}

/**
 * Stores the terms of items, or adds those of a later version. The caller marks the items in the same transaction (`has_terms`,
 * `terms_version`).
 */
export const ITEM_TERMS = `
termed as (
  insert into item_terms (scored_at, terms, facets)
  select sent.scored_at, sent.terms::integer[], sent.facets::integer[]
  from unnest(?::timestamptz[], ?::text[], ?::text[]) as sent (scored_at, terms, facets)
  on conflict (scored_at) do update set terms = excluded.terms, facets = excluded.facets
  returning scored_at, facets
), faceted as (
  insert into item_facet (term, scored_at)
  select one.term, termed.scored_at from termed, unnest(termed.facets) as one (term) on conflict do nothing
)`;

export const itemTermsValues = (items: readonly TermsOfItem[], idOf: TermIds) => [
  items.map(({ scoredAt }) => scoredAt),
  items.map(({ terms }) => arrayText(terms.names.map(idOf))),
  items.map(({ terms }) => arrayText(terms.facets.map(idOf))),
];

const arrayText = (ids: readonly number[]): string => `{${ids.join()}}`;
