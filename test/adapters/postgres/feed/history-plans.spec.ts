import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../../src/adapters/postgres/connection.js';
import {
  changesQuery,
  itemsAfterQuery,
  positionsQuery,
} from '../../../../src/adapters/postgres/feed/postgres-feed-history.js';
import { migrate } from '../../../../src/adapters/postgres/migrate.js';
import { FIRST_MOMENT, plus, SECOND } from '../../../../src/domain/moment.js';
import { NOON } from '../../../support/objects/builders.js';
import { emptySchema } from '../../../support/servers/stores.js';

const ITEMS = 100_000;

type Node = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Loops': number;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
};

/** The nodes that were run, with all below them. */
const nodesOf = (node: Node): readonly Node[] =>
  node['Actual Loops'] === 0 ? [] : [node, ...(node.Plans ?? []).flatMap(nodesOf)];

async function planOf(db: Knex, query: Knex.Raw) {
  const { rows } = await db.raw('explain (analyze, format json) ?', [query]);
  const [plan] = rows[0]['QUERY PLAN'];
  const nodes = nodesOf(plan.Plan);
  const scans = nodes.filter((node) => node['Node Type'] === 'Seq Scan');
  return {
    scanned: scans.map((node) => node['Relation Name']),
    indexes: [...new Set(nodes.flatMap((node) => node['Index Name'] ?? []))].sort(),
    /** The most rows that a node reads, also those that it does not return. */
    mostRows: Math.max(
      ...nodes.map(
        (node) => ((node['Rows Removed by Filter'] ?? 0) + node['Actual Rows']) * node['Actual Loops'],
      ),
    ),
    isCompiled: 'JIT' in plan,
  };
}

/** The number of items without a number, as 0.2.0 stores them. */
const UNNUMBERED = 500;

/** Items 1 s apart, the oldest ones without a number, and two changes of each. */
async function fill(db: Knex): Promise<void> {
  // Without statistics, until they are asked for.
  await db.raw('alter table item set (autovacuum_enabled = off)');
  await db.raw('alter table feed_change set (autovacuum_enabled = off)');
  // As a restore inserts rows: a trigger would take 200 000 changes for one publication.
  await db.raw('set session_replication_role = replica');
  await db.raw(
    `insert into item (id, scored_at, json, sub_market_ids, n)
     select 'item ' || n, ?::timestamptz + n * interval '1 second', '\\x7b7d', array['m'], case when n > ? then n * 2 end
     from generate_series(1, ?) as n`,
    [NOON, UNNUMBERED, ITEMS],
  );
  await db.raw(
    `insert into feed_change (n, kind, item_id, scored_at)
     select n, 'replaced', 'item ' || (n + 1) / 2, ?::timestamptz + (n + 1) / 2 * interval '1 second'
     from generate_series(1, 2 * ?) as n`,
    [NOON, ITEMS],
  );
  await db.raw('reset session_replication_role');
}

for (const statistics of ['with', 'without'] as const) {
  describe(`The history of ${ITEMS.toLocaleString('en')} items ${statistics} statistics`, () => {
    let db: Knex;
    before(async function () {
      this.timeout(120_000);
      const url = await emptySchema();
      await migrate(url);
      db = connect(url, LONG_TIMEOUTS, 1);
      await fill(db);
      if (statistics === 'with') await db.raw('analyze item, feed_change');
    });
    after(() => disconnect(db));

    const half = plus(NOON, (ITEMS / 2) * SECOND);
    const end = plus(NOON, (ITEMS + 1) * SECOND);
    const CHANGES = ['feed_change_pkey', 'item_pkey'];
    // The log only for its newest change.
    const REPLAYED = ['feed_change_pkey', 'item_scored_at_unique'];

    // biome-ignore format: a table is read by its columns
    const queries: readonly (readonly [string, () => Knex.Raw, indexes: readonly string[], most: number])[] = [
      ['a block of changes',           () => changesQuery(db, ITEMS, 100),        CHANGES,              100],
      ['the first block of changes',   () => changesQuery(db, -99, 200),          CHANGES,              101],
      ['the newest changes',           () => changesQuery(db, 2 * ITEMS - 9, 500), CHANGES,             10],
      ['a long part of the log',       () => changesQuery(db, ITEMS, 2_000),      CHANGES,              2_000],
      ['no changes',                   () => changesQuery(db, 3 * ITEMS, 100),    ['feed_change_pkey'], 1],
      ['items of a replay',            () => itemsAfterQuery(db, half, 500),      REPLAYED,             500],
      ['one position',                 () => positionsQuery(db, [ITEMS]),         ['feed_change_pkey'], 1],
      ['no items',                     () => itemsAfterQuery(db, end, 500),       REPLAYED,             1],
    ];
    for (const [name, query, indexes, most] of queries) {
      it(`gives ${name} along ${indexes.join(' and ')}, without a scan or a compiled query`, async () => {
        const plan = await planOf(db, query());
        expect(plan.scanned).to.deep.equal([]);
        expect(plan.indexes).to.deep.equal(indexes);
        expect(plan.mostRows).to.be.at.most(most === 0 ? 0 : Math.max(most, 1));
        expect(plan.isCompiled).to.equal(false);
      });
    }

    it('reads the changes of items of 0.2.0 by their ids, without a scan of the log', async () => {
      const { scanned, indexes, isCompiled, mostRows } = await planOf(
        db,
        itemsAfterQuery(db, FIRST_MOMENT, 500),
      );
      expect(scanned).to.deep.equal([]);
      expect(indexes).to.deep.equal(['feed_change_item', ...REPLAYED]);
      expect(mostRows).to.be.below(10 * UNNUMBERED);
      expect(isCompiled).to.equal(false);
    });
  });
}
