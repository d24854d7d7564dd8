import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { pageQuery } from '../../../../src/adapters/postgres/feed/feed-queries.js';
import { keysQuery } from '../../../../src/adapters/postgres/keys/postgres-gate.js';
import type { FeedRange } from '../../../../src/application/ports/feed/feed-store.js';
import type { KeyHash } from '../../../../src/domain/keys/key-value.js';
import { plus, SECOND } from '../../../../src/domain/moment.js';
import { NOON } from '../../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';

const ITEMS = 100_000;

type Node = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
};

const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Inserts items 1 s apart, each with three of 100 sub-markets, and as many accounts with one key each. */
async function fill(db: Knex): Promise<void> {
  // Logging the changes of so many accounts would take most of the time.
  await db.raw(
    'alter table account disable trigger account_logged; alter table api_key disable trigger api_key_logged',
  );
  await db.raw(
    `insert into item (id, scored_at, json, sub_market_ids)
     select 'item ' || n, ?::timestamptz + n * interval '1 second', convert_to('{"n":' || n || '}', 'UTF8'),
       array['m' || n % 100, 'm' || (n + 1) % 100, 'm' || (n + 2) % 100]
     from generate_series(1, ?) as n`,
    [NOON, ITEMS],
  );
  await db.raw(
    `insert into item_sub_market (sub_market_id, scored_at, item_id)
     select market.id, item.scored_at, item.id from item, unnest(item.sub_market_ids) as market (id)`,
  );
  await db.raw(
    `insert into account (id, email, body)
     select 'acc_' || n, n || '@example.org', '{"keys":[]}' from generate_series(1, ?) as n`,
    [ITEMS],
  );
  await db.raw(
    `insert into api_key (id, hash, account_id)
     select 'key_' || n, md5(n::text), 'acc_' || n from generate_series(1, ?) as n`,
    [ITEMS],
  );
  await db.raw(
    `insert into feed_change (n, item_id, scored_at) select n, 'item ' || n, now() from generate_series(1, ?) as n`,
    [ITEMS],
  );
  await db('feed_head').update({ last_n: ITEMS });
  await db.raw('analyze');
}

describe(`A query over ${ITEMS.toLocaleString('en')} rows`, () => {
  let schema: Schema;
  let db: Knex;
  before(async function () {
    this.timeout(120_000);
    schema = await freshSchema();
    db = schema.connect();
    await fill(db);
  });
  after(() => schema.close());

  const EVERYTHING: FeedRange = { before: null, since: null, newsId: null, marketId: null, count: 51 };
  const half = plus(NOON, (ITEMS / 2) * SECOND);
  const page = (range: Partial<FeedRange>) => () => pageQuery(db, { ...EVERYTHING, ...range });

  /** For the mark of the last change. */
  const HEAD = 'feed_change_pkey';

  const md5s = (count: number) =>
    Array.from(
      { length: count },
      (_, n) =>
        createHash('md5')
          .update(String(n + 1))
          .digest('hex') as KeyHash,
    );

  // biome-ignore format: a table is read by its columns
  const hot: readonly (readonly [string, () => Knex.Raw | Knex.QueryBuilder, indexes: readonly string[]])[] = [
    ['the head page',                 page({}),                                                 [HEAD, 'item_scored_at_unique']],
    ['a deep page',                   page({ before: half }),                                   [HEAD, 'item_scored_at_unique']],
    ['a window',                      page({ since: half, before: plus(half, 900 * SECOND) }),  [HEAD, 'item_scored_at_unique']],
    ['new items',                     page({ since: plus(NOON, (ITEMS - 20) * SECOND) }),       [HEAD, 'item_scored_at_unique']],
    ['one event',                     page({ newsId: 'item 77' }),                              [HEAD, 'item_pkey']],
    ['one event with a market',       page({ newsId: 'item 77', marketId: 'm78' }),             [HEAD, 'item_pkey']],
    ['a page of a market',            page({ marketId: 'm50' }),                               [HEAD, 'item_pkey', 'item_sub_market_pkey']],
    ['a deep page of a market',       page({ marketId: 'm50', before: half }),                 [HEAD, 'item_pkey', 'item_sub_market_pkey']],
    ['a window of a market',          page({ marketId: 'm50', since: half }),                  [HEAD, 'item_pkey', 'item_sub_market_pkey']],
    ['the longest page of a market',  page({ marketId: 'm50', count: 501 }),                   [HEAD, 'item_pkey', 'item_sub_market_pkey']],
    ['a key by its hash',             () => keysQuery(db, md5s(1)),                              ['account_pkey', 'api_key_hash_unique']],
    ['500 keys by their hashes',      () => keysQuery(db, md5s(500)),                            ['account_pkey', 'api_key_hash_unique']],
  ];
  for (const [name, query, indexes] of hot) {
    it(`reads ${name} along ${indexes.join(' and ')}, without a sort or a scan`, async () => {
      const { rows } = await db.raw('explain (analyze, format json) ?', [query() as Knex.Raw]);
      const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
      const kinds = nodes.map((node) => node['Node Type']);
      expect(kinds.filter((kind) => /Sort|Hash|Bitmap|Materialize/.test(kind))).to.deep.equal([]);
      const scanned = nodes.filter((node) => node['Node Type'] === 'Seq Scan');
      // The table of the head has one row, so Postgres scans it.
      expect(
        scanned.map((node) => node['Relation Name']).filter((name) => name !== 'feed_head'),
      ).to.deep.equal([]);
      const used = new Set(nodes.flatMap((node) => node['Index Name'] ?? []));
      expect([...used].sort()).to.deep.equal(indexes);
      expect(Math.max(...nodes.map((node) => node['Rows Removed by Filter'] ?? 0))).to.be.at.most(1);
    });
  }
});
