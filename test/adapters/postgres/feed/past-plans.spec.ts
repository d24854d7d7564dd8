import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresFeedPast } from '../../../../src/adapters/postgres/feed/postgres-feed-past.js';
import { NOON } from '../../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';

const REPLACED = 10_000;

/** Ten items, and one that was replaced again and again after them: each version has its own time. */
const FILL = `
insert into item (id, scored_at, json, sub_market_ids, n)
select 'item ' || n, :noon::timestamptz + n * interval '1 second', '\\x7b7d', '{}', n from generate_series(1, 10) as n;
insert into item_version (id, n, until_n, scored_at, json, sub_market_ids)
select 'often', n, n + 1, :noon::timestamptz + n * interval '1 second', '\\x7b7d', '{}'
from generate_series(11, :replaced) as n`;

type Executed = { readonly sql: string; readonly bindings: readonly string[] };

describe(`A page as it was after ${REPLACED.toLocaleString('en')} replacements of one item (D60)`, () => {
  let schema: Schema;
  let db: Knex;
  before(async () => {
    schema = await freshSchema();
    db = schema.connect();
    for (const sql of FILL.split(';')) await db.raw(sql, { replaced: REPLACED, noon: NOON });
    await db.raw('vacuum analyze item, item_version');
  });
  after(() => schema.close());

  for (const share of [0.99, 0.5]) {
    it(`at ${share * 100} % of them has the version of that change; the index passes the others`, async () => {
      const executed: Executed[] = [];
      db.on('query', (query: Executed) => executed.push(query));
      const everything = { before: null, since: null, newsId: null, marketId: null, count: 51 };
      const at = { position: { n: share * REPLACED, mark: '' }, knownAt: NOON, head: null };
      const page = await new PostgresFeedPast(db).page(everything, at);
      db.removeAllListeners('query');
      expect(page.map(({ item }) => item?.id)).to.have.members([
        'often',
        ...Array.from({ length: 10 }, (_, i) => `item ${i + 1}`),
      ]);
      const [{ sql, bindings } = expect.fail('no statement')] = executed;
      const { rows } = await db.raw(`explain (analyze) ${sql.replaceAll(/\$\d+/g, '?')}`, [...bindings]);
      const plan = rows.map((row: { 'QUERY PLAN': string }) => row['QUERY PLAN']).join('\n');
      expect(plan).to.match(/Index Only Scan Backward using item_version_times on item_version/);
      expect(plan).to.not.match(/Rows Removed by Filter: \d\d/);
    });
  }
});
