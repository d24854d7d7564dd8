import { storedTermsOf } from '../dist/src/adapters/postgres/feed/stored-terms.js';
import { TERMS, termOf } from '../dist/src/domain/feed/filters/item-terms.js';
import { termsOfReferences } from '../dist/src/domain/feed/filters/market-filter.js';

/**
 * The worst terms that a feed can have: two codes and two words that each half of the items have, but never both; four words
 * of three quarters each, which never all occur; a code and a word of the older half only; words of 100 items and of one. Of the
 * newer facets, which are stored in packs: two effects that never meet, an outcome of the older half only, and the markets of
 * half of the items and of one.
 */
const CONSTRUCTED = `
  case when n % 2 = 0 then ${packed('effect:e0', 'outcome:o')} end,
  case when n % 2 = 1 then ${packed('effect:e1', 'outcome:o')} end,
  case when n <= :count / 2 then ${packed('outcome:old')} end,
  case when n % 2 = 0 then ${packed('market:half', 'ref:id:main')} end,
  case when n = :count / 3 then ${packed('market:one', 'ref:token:one')} end,
  'category:x' || n % 2, 'word:x' || n % 2,
  case when n % 4 <> 0 then 'word:y0' end, case when n % 4 <> 1 then 'word:y1' end,
  case when n % 4 <> 2 then 'word:y2' end, case when n % 4 <> 3 then 'word:y3' end,
  case when n <= :count / 2 then 'category:old' end, case when n <= :count / 2 then 'word:old' end,
  case when n % (:count / 100) = 7 then 'word:rare' end, case when n = :count / 3 then 'word:one' end`;

/** The name under which terms are stored as one, as an SQL text. */
function packed(...terms) {
  const packs = [{ terms, isFacet: false }];
  const [name] = storedTermsOf({ single: new Set(), packs }, TERMS).names;
  return `E'${name.replaceAll('\n', '\\n')}'`;
}

const FACET_PACKS = [
  packed('effect:e0', 'outcome:o'),
  packed('effect:e1', 'outcome:o'),
  packed('outcome:old'),
];

const category = (name) => [termOf('category', name)];
const word = (name) => [termOf('word', name)];

/** Filters by one code, and all others: each must take a bounded time. */
export const SINGLE_FILTERS = {
  'source_tier=t1': [[termOf('source_tier', 't1')]],
  'category, common': [category('x1')],
  'category, older half only': [category('old')],
  'category, absent': [category('none')],
  'effect, common': [[termOf('effect', 'e1')]],
  'outcome, older half only': [[termOf('outcome', 'old')]],
  'author, absent': [[termOf('author', 'none')]],
};
export const COMBINED_FILTERS = {
  'two codes that never meet': [category('x0'), category('x1')],
  'two effects that never meet': [[termOf('effect', 'e0')], [termOf('effect', 'e1')]],
  'effect and category, never': [[termOf('effect', 'e0')], category('x1')],
  'market of half of the items': [termsOfReferences(['main'])],
  'market of one item': [termsOfReferences(['one'])],
  'market, absent': [termsOfReferences(['https://polymarket.com/event/none?tid=1'])],
  'common market and older word': [termsOfReferences(['half']), word('old')],
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
  const stored = samples.map((sample) => storedTermsOf(TERMS.listsOf(sample), TERMS));
  const terms = stored.map(({ names }) => names);
  const names = [...new Set(terms.flat())];
  await db.raw('insert into term (name) select unnest(?::text[])', [names]);
  await db.raw(
    `insert into term (name) select distinct name from generate_series(1, :count) as n, unnest(array[${CONSTRUCTED}]) as name
    where name is not null on conflict do nothing`,
    { count: Math.min(count, 20_000) },
  );
  await db.raw(
    `insert into term (name) values ('word:one'), ('word:rare'), ('word:old'), ('category:old'),
      (${packed('outcome:old')}), (${packed('market:one', 'ref:token:one')}) on conflict do nothing`,
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
  const facets = [...stored.flatMap((of) => of.facets), ...['category:x0', 'category:x1', 'category:old']];
  await db.raw(
    `insert into item_facet (term, scored_at)
     select term.id, item_terms.scored_at from item_terms, unnest(item_terms.terms) as one (id)
     join term using (id)
     where term.name = any(?::text[]) or term.name in (${FACET_PACKS.join()})`,
    [[...new Set(facets)]],
  );
  await db.raw("set maintenance_work_mem = '512MB'");
  await db.raw(
    'create index item_terms_terms on item_terms using gin (terms) with (gin_pending_list_limit = 256)',
  );
}
