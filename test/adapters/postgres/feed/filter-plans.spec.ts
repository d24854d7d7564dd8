import { expect } from 'chai';
import type { Knex } from 'knex';
import { filteredPageQuery, untestedQuery } from '../../../../src/adapters/postgres/feed/filtered-pages.js';
import { unindexedItemsQuery } from '../../../../src/adapters/postgres/feed/postgres-unindexed-items.js';
import type { FeedRange } from '../../../../src/application/ports/feed/feed-store.js';
import { type Term, termOf } from '../../../../src/domain/feed/filters/item-terms.js';
import { plus, SECOND } from '../../../../src/domain/moment.js';
import { NOON } from '../../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';

const ITEMS = 30_000;

type PlanNode = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
};
const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Half of the items have each of two tiers and words. The oldest half has the category `old`. The last 5 have no terms. */
const FILL = `
insert into term (name)
select unnest(array['source_tier:t0', 'source_tier:t1', 'category:old', 'category:all', 'word:w0', 'word:w1', 'word:common'])
union all select 'word:n' || n from generate_series(1, :items) as n;
insert into item (id, scored_at, n, json, sub_market_ids, has_terms)
select 'item ' || n, :noon::timestamptz + n * interval '1 second', n, '{}', '{}', case when n <= :items - 5 then true end
from generate_series(1, :items) as n;
insert into item_terms (scored_at, terms, facets)
select :noon::timestamptz + n * interval '1 second', array(
  select id from term where name = any(array[
    'source_tier:t' || n % 2, 'category:all', 'word:w' || n % 2, 'word:common', 'word:n' || n,
    case when n < :items / 2 then 'category:old' end
  ])), '{}'
from generate_series(1, :items - 5) as n;
insert into item_facet (term, scored_at)
select term.id, item_terms.scored_at from item_terms, unnest(terms) as one (id) join term using (id)
where term.name not like 'word:%';
update item_terms set facets = array(select term from item_facet where scored_at = item_terms.scored_at)
where scored_at < :noon::timestamptz + interval '10 seconds';
insert into feed_change (n, item_id, kind) select n, 'item ' || n, 'published' from generate_series(1, :items) as n`;

describe(`A filter by terms over ${ITEMS.toLocaleString('en')} items`, () => {
  let schema: Schema;
  let db: Knex;
  before(async function () {
    this.timeout(60_000);
    schema = await freshSchema();
    db = schema.connect();
    for (const sql of FILL.split(';')) await db.raw(sql, { items: ITEMS, noon: NOON });
    await db.raw('vacuum analyze item, item_terms, item_facet, term, feed_change');
  });
  after(() => schema.close());

  const half = plus(NOON, (ITEMS / 2) * SECOND);
  const word = (name: string): readonly Term[] => [termOf('word', name)];
  const tier = (...names: readonly string[]) => names.map((name) => termOf('source_tier', name));
  const page =
    (terms: FeedRange['terms'], range: Partial<FeedRange> = {}) =>
    () =>
      filteredPageQuery(db, {
        before: null,
        since: null,
        newsId: null,
        marketId: null,
        count: 51,
        ...range,
        terms,
      });

  const STATE = 'feed_change_pkey';
  const ITEM = ['item_scored_at_unique', 'item_without_terms', 'term_name_key'];
  const FACET = [STATE, ...ITEM, 'item_facet_pkey'].sort();
  /** The newest items are enough. */
  const NEAR = [STATE, ...ITEM, 'item_terms_pkey'].sort();
  const FAR = [...NEAR, 'item_terms_terms'].sort();
  /** Nothing is found, so no item is read. */
  const EMPTY = [STATE, 'item_without_terms', 'term_name_key'];
  const EMPTY_FAR = FAR.filter((name) => name !== 'item_scored_at_unique');

  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [string, () => Knex.Raw, indexes: readonly string[]])[] = [
    ['a common code',                        page([tier('t1')]),                                  FACET],
    ['a code of old items only',             page([[termOf('category', 'old')]]),                 FACET],
    ['a code that nothing has',              page([[termOf('category', 'none')]]),                EMPTY],
    ['two codes of one parameter, deep',     page([tier('t0', 't1')], { before: half }),          FACET],
    ['two common codes',                     page([tier('t1'), [termOf('category', 'all')]]),     NEAR],
    ['two codes that never meet',            page([tier('t1'), tier('t0')]),                      EMPTY_FAR],
    ['a common word',                        page([word('w1')]),                                  NEAR],
    ['a common word, deep',                  page([word('w1')], { before: half, since: NOON }),   NEAR],
    ['a rare word',                          page([word('n9')]),                                  FAR],
    ['four words',                           page([word('w1'), word('common'), word('n9'), word('w0')]), EMPTY_FAR],
  ];
  for (const [name, query, indexes] of cases) {
    it(`by ${name} is read along ${indexes.join(' and ')}, without a scan (D57)`, async () => {
      const { rows } = await db.raw('explain (analyze, format json) ?', [query()]);
      const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Actual Loops'] > 0);
      const scanned = nodes.filter((node) => node['Node Type'] === 'Seq Scan');
      expect(scanned.map((node) => node['Relation Name'])).to.deep.equal(['feed_head']);
      const used = new Set(nodes.flatMap((node) => node['Index Name'] ?? []));
      expect([...used].sort()).to.deep.equal(indexes);
    });
  }

  it('finds items without terms along their index', async () => {
    const range = { before: half, since: null, newsId: null, marketId: null, count: 51, terms: [tier('t1')] };
    for (const query of [untestedQuery(db, range), unindexedItemsQuery(db, 100)]) {
      const { rows } = await db.raw('explain (analyze, format json) ?', [query]);
      const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
      expect(nodes.flatMap((node) => node['Index Name'] ?? [])).to.deep.equal(['item_without_terms']);
      expect(nodes.map((node) => node['Node Type'])).not.to.include.members(['Sort']);
    }
  });

  it('deletes the terms of an item along indexes', async () => {
    const scans = () =>
      db('pg_stat_xact_user_tables')
        .whereRaw('schemaname = current_schema()')
        .whereIn('relname', ['item_terms', 'item_facet'])
        .sum('seq_scan as scans');
    await db.transaction(async (tx) => {
      const before = await scans().transacting(tx);
      await tx('item').where({ id: 'item 7' }).delete();
      expect(await scans().transacting(tx)).to.deep.equal(before);
      const at = plus(NOON, 7 * SECOND);
      for (const table of ['item_terms', 'item_facet'])
        expect(await tx(table).where({ scored_at: at })).to.deep.equal([]);
    });
  });
});
