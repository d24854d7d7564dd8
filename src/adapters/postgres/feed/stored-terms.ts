import type { TermFilter, TermLists, TermTable } from '../../../domain/feed/filters/item-terms.js';

/** The names of the terms of an item, as the table `term` has them. */
export type StoredTerms = { readonly names: readonly string[]; readonly facets: readonly string[] };

/** Between the terms of a pack. No term has it: codes, names, ids and keys have no control characters. */
const SEPARATOR = '\n';
const PACK = 'pack:';
/** A name must fit into an entry of its index, which has at most 2 704 bytes. */
const NAME_BYTES_MAX = 2_400;

/**
 * A pack is stored as one term, because each term of each new item is an entry of the index. Its name has all its terms, and an
 * index of the table `term` finds the packs with a term (D57).
 */
export function storedTermsOf({ single, packs }: TermLists, { isFacet }: TermTable): StoredTerms {
  const facets = packs.filter((pack) => pack.isFacet).flatMap(({ terms }) => packNames(terms));
  const others = packs.filter((pack) => !pack.isFacet).flatMap(({ terms }) => packNames(terms));
  return {
    names: [...single, ...facets, ...new Set(others)],
    facets: [...[...single].filter(isFacet), ...facets],
  };
}

/** Mostly one. A pack that does not fit is split, and an item has all its parts. */
function packNames(terms: readonly string[]): readonly string[] {
  const names: string[] = [];
  let name = PACK;
  for (const term of [...new Set(terms)].toSorted()) {
    if (term.includes(SEPARATOR)) continue;
    const longer = `${name}${SEPARATOR}${term}`;
    const fits = name === PACK || Buffer.byteLength(longer) <= NAME_BYTES_MAX;
    if (!fits) names.push(name);
    name = fits ? longer : `${PACK}${SEPARATOR}${term}`;
  }
  return name === PACK ? names : [...names, name];
}

/** The definition of the index that finds packs, and the condition that uses it. Migrations and queries need the same text. */
const PACK_TERMS = `string_to_array(name, E'\\n')`;
const IS_PACK = `name like '${PACK}%'`;

/** The ids of the stored terms that have one of a list of terms, twice a parameter. */
export const TERM_IDS = `
  select id from term where name = any(?::text[])
  union all select id from term where ${IS_PACK} and ${PACK_TERMS} && ?::text[]`;

export const termIdsValues = (anyOf: TermFilter[number]): string[][] => [[...anyOf], [...anyOf]];
