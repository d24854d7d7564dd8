import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../../src/adapters/postgres/connection.js';
import { itemsQuery, pageQuery, stateAtQuery } from '../../../../src/adapters/postgres/feed/feed-queries.js';
import { keysQuery } from '../../../../src/adapters/postgres/keys/postgres-gate.js';
import { migrate } from '../../../../src/adapters/postgres/migrate.js';
import { NEWEST, OLDEST, READ } from '../../../../src/adapters/postgres/postgres-change-logs.js';
import type { FeedRange } from '../../../../src/application/ports/feed/feed-store.js';
import type { KeyHash } from '../../../../src/domain/keys/key-value.js';
import { plus, SECOND } from '../../../../src/domain/moment.js';
import { NOON } from '../../../support/objects/builders.js';
import { emptySchema, freshSchema, type Schema } from '../../../support/servers/stores.js';

const ITEMS = 100_000;

type Node = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Sort Key'?: readonly string[];
  readonly Plans?: readonly Node[];
};

const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

const switchTriggers = (db: Knex, to: 'enable' | 'disable') =>
  db.raw(
    `alter table account ${to} trigger account_logged; alter table api_key ${to} trigger api_key_logged`,
  );

/** Inserts items 1 s apart, each with three of 100 sub-markets, and as many accounts with one key each. */
async function fill(db: Knex): Promise<void> {
  // Logging the changes of so many accounts would take most of the time.
  await switchTriggers(db, 'disable');
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
  await db.raw(
    `insert into account_change (n, account_id, hashes)
     select n, 'acc_' || n, array[md5(n::text)] from generate_series(1, ?) as n`,
    [ITEMS],
  );
  await db('feed_head').update({ last_n: ITEMS });
  await switchTriggers(db, 'enable');
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

  const EVERYTHING: FeedRange = {
    before: null,
    since: null,
    newsId: null,
    marketId: null,
    terms: [],
    count: 51,
  };
  const half = plus(NOON, (ITEMS / 2) * SECOND);
  const page = (range: Partial<FeedRange>) => () => pageQuery(db, { ...EVERYTHING, ...range });

  /** For the mark of the last change. */
  const HEAD = 'feed_change_pkey';

  const LOGS = ['account_change_pkey', 'feed_change_pkey'];
  const changesAfter = (n: number) => () => db.raw(READ.replaceAll(/\$\d/g, '?'), [n, n]);

  const md5s = (count: number) =>
    Array.from(
      { length: count },
      (_, n) =>
        createHash('md5')
          .update(String(n + 1))
          .digest('hex') as KeyHash,
    );

  const itemIds = (count: number) => Array.from({ length: count }, (_, n) => `item ${n + 1}`);

  // biome-ignore format: a table is read by its columns
  const hot: readonly (readonly [string, () => Knex.Raw | Knex.QueryBuilder, indexes: readonly string[], sorted?: string])[] = [
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
    ['100 items by their ids',        () => itemsQuery(db, itemIds(100)),                        [HEAD, 'item_pkey']],
    ['the state at a change',         () => stateAtQuery(db, ITEMS / 2),                         [HEAD]],
    ['a key by its hash',             () => keysQuery(db, md5s(1)),                              ['account_change_pkey', 'account_pkey', 'api_key_hash_unique'], 'api_key.account_id'],
    ['500 keys by their hashes',      () => keysQuery(db, md5s(500)),                            ['account_change_pkey', 'account_pkey', 'api_key_hash_unique'], 'api_key.account_id'],
    ['the last changes',              changesAfter(ITEMS - 3),                                   LOGS],
    ['a part of the change logs',     changesAfter(ITEMS / 2),                                   LOGS],
    ['the newest changes',            () => db.raw(NEWEST),                                      LOGS],
    ['the oldest changes',            () => db.raw(OLDEST),                                      LOGS],
  ];
  for (const [name, query, indexes, sorted] of hot) {
    it(`reads ${name} along ${indexes.join(' and ')}, without a scan, and ${sorted === undefined ? 'without a sort' : `sorts only by ${sorted} what it found`}`, async () => {
      const { rows } = await db.raw('explain (analyze, verbose, format json) ?', [query() as Knex.Raw]);
      const all = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
      // The catalog of triggers is small.
      const nodes = all.filter((node) => node['Relation Name'] !== 'pg_trigger');
      const kinds = nodes.map((node) => node['Node Type']);
      expect(kinds.filter((kind) => /Hash|Bitmap|Materialize/.test(kind))).to.deep.equal([]);
      const sorts = nodes.flatMap((node) => node['Sort Key'] ?? []);
      expect(sorts).to.deep.equal(sorted === undefined ? [] : [sorted]);
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

  /** Logs changes of three accounts in a transaction that is rolled back. */
  async function logged(tx: Knex.Transaction) {
    await tx.raw(`update account set body = '{"keys":[{}]}' where id = 'acc_5'`);
    await tx.raw("insert into api_key (id, hash, account_id) values ('new', 'new', 'acc_6')");
    await tx.raw("delete from api_key where id = 'key_7'");
    const scans = () =>
      tx('pg_stat_xact_user_tables')
        .whereRaw('schemaname = current_schema()')
        .whereIn('relname', ['account_change', 'account_change_lock', 'api_key'])
        .orderBy('relname')
        .select('relname', 'seq_scan');
    const before = await scans();
    await tx.raw('set constraints all immediate');
    const after = await scans();
    return {
      before,
      after,
      numbers: await tx('account_change').where('n', '>', ITEMS).orderBy('n').pluck('n'),
    };
  }

  it('finds the earlier change of an item along the index, also if the statistics say that the log has one item', async () => {
    const { rows } = await db.raw(
      "select prosrc as body from pg_proc where oid = 'complete_feed_change'::regproc",
    );
    const [, query = ''] = /into earlier\s+([^;]+);/.exec(rows[0].body) ?? [];
    const tx = await db.transaction();
    try {
      await tx.raw("update feed_change set item_id = 'one item' where n <= ?", [ITEMS]);
      await tx.raw('analyze feed_change');
      // A function keeps a plan that does not know the id.
      await tx.raw("set local plan_cache_mode = 'force_generic_plan'");
      await tx.raw(`prepare earlier (text) as select ${query.replaceAll('new.item_id', '$1')}`);
      const plan = await tx.raw("explain (format json) execute earlier ('a new item')");
      await tx.raw('deallocate earlier');
      const used = nodesOf(plan.rows[0]['QUERY PLAN'][0].Plan).flatMap((node) => node['Index Name'] ?? []);
      expect(used).to.deep.equal(['feed_change_item']);
    } finally {
      await tx.rollback();
    }
  });

  it('logs a change of an account along indexes, without compiled queries', async () => {
    const tx = await db.transaction();
    const { before, after, numbers } = await logged(tx).finally(() => tx.rollback());
    expect(numbers).to.deep.equal([1, 2, 3].map((n) => ITEMS + n));
    expect(after).to.deep.equal(before);
    const { rows } = await db.raw(
      `select proconfig as settings from pg_proc
       where pronamespace = current_schema()::regnamespace and proname like 'log\\_%'`,
    );
    expect(rows).to.have.length(3);
    for (const { settings } of rows) expect(settings).to.include.members(['jit=off', 'enable_seqscan=off']);
  });
});

describe('A page of a feed without statistics', () => {
  it('is not read by a compiled query, which would take longer', async () => {
    const url = await emptySchema();
    await migrate(url);
    const db = connect(url, LONG_TIMEOUTS, 1);
    const range = { before: null, since: null, newsId: null, marketId: null, terms: [], count: 501 };
    const { rows } = await db.raw('explain (format json) ?', [pageQuery(db, range)]);
    await disconnect(db);
    expect(rows[0]['QUERY PLAN'][0]).to.have.property('Plan');
    expect(rows[0]['QUERY PLAN'][0]).not.to.have.property('JIT');
  });
});
