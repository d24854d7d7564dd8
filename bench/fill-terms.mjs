import { isFacet, termOf, termsOf } from '../dist/src/domain/feed/filters/item-terms.js';

/**
 * The worst terms that a feed can have: two codes and two words that each half of the items have, but never both; four words
 * of three quarters each, which never all occur; a code and a word of the older half only; words of 100 items and of one.
 */
const CONSTRUCTED = `
  'category:x' || n % 2, 'word:x' || n % 2,
  case when n % 4 <> 0 then 'word:y0' end, case when n % 4 <> 1 then 'word:y1' end,
  case when n % 4 <> 2 then 'word:y2' end, case when n % 4 <> 3 then 'word:y3' end,
  case when n <= :count / 2 then 'category:old' end, case when n <= :count / 2 then 'word:old' end,
  case when n % (:count / 100) = 7 then 'word:rare' end, case when n = :count / 3 then 'word:one' end`;

const category = (name) => [termOf('category', name)];
const word = (name) => [termOf('word', name)];

/** Filters by one code, and all others: each must take a bounded time. */
export const SINGLE_FILTERS = {
  'source_tier=t1': [[termOf('source_tier', 't1')]],
  'category, common': [category('x1')],
  'category, older half only': [category('old')],
  'category, absent': [category('none')],
};
export const COMBINED_FILTERS = {
  'two codes that never meet': [category('x0'), category('x1')],
  'common code and older word': [category('x1'), word('old')],
  'q=common': [word('x1')],
  'q=older half only': [word('old')],
  'q=rare': [word('rare')],
  'q=one item': [word('one')],
  'q=absent': [word('none')],
  'q=common common, never': [word('x0'), word('x1')],
  'q=common rare': [word('y1'), word('rare')],
  'q=common common rare absent': [word('y0'), word('y1'), word('rare'), word('none')],
  'q=four common, never': ['y0', 'y1', 'y2', 'y3'].map(word),
};

/** Stores the terms of items that were generated from samples: item `n` at `start` plus n seconds from sample n modulo their number. */
export async function fillTerms(db, samples, count, start) {
  await db.raw('drop index item_terms_terms');
  await db.raw('create temp table sample_terms (k int primary key, terms int[])');
  const terms = samples.map((sample) => [...termsOf(sample)]);
  const names = [...new Set(terms.flat())];
  await db.raw('insert into term (name) select unnest(?::text[])', [names]);
  await db.raw(
    `insert into term (name) select distinct name from generate_series(1, :count) as n, unnest(array[${CONSTRUCTED}]) as name
    where name is not null on conflict do nothing`,
    { count: Math.min(count, 20_000) },
  );
  await db.raw(
    `insert into term (name) values ('word:one'), ('word:rare'), ('word:old'), ('category:old') on conflict do nothing`,
  );
  for (const [k, own] of terms.entries())
    await db.raw(
      'insert into sample_terms select ?, array_agg(id order by id) from term where name = any(?::text[])',
      [k, own],
    );
  await db.raw(
    `insert into item_terms (scored_at, terms, facets)
     select :start::timestamptz + n * interval '1 second',
       sample_terms.terms || array(select id from term where name = any(array[${CONSTRUCTED}])), '{}'
     from generate_series(1, :count) as n join sample_terms on k = n % :samples`,
    { start, count, samples: samples.length },
  );
  const facets = [...names, 'category:x0', 'category:x1', 'category:old'].filter(isFacet);
  await db.raw(
    `insert into item_facet (term, scored_at)
     select term.id, item_terms.scored_at from item_terms, unnest(item_terms.terms) as one (id)
     join term using (id) where term.name = any(?::text[])`,
    [facets],
  );
  await db.raw("set maintenance_work_mem = '512MB'");
  await db.raw(
    'create index item_terms_terms on item_terms using gin (terms) with (gin_pending_list_limit = 256)',
  );
}
