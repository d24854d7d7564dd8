import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../../src/adapters/postgres/connection.js';
import { migrate, revertMigration } from '../../../../src/adapters/postgres/migrate.js';
import {
  expiredRowsQuery,
  PostgresExpiredRows,
} from '../../../../src/adapters/postgres/retention/postgres-expired-rows.js';
import { DAY, HOUR, type Moment, plus } from '../../../../src/domain/moment.js';
import { EXPIRING_TABLES, type ExpiringTable } from '../../../../src/domain/retention.js';
import { NOON } from '../../../support/objects/builders.js';
import { emptySchema, freshSchema, type Schema } from '../../../support/servers/stores.js';
import { until } from '../../../support/until.js';

const ROWS = 20_000;

/** Inserts rows 1 s apart, from `NOON` on. Most rows of the last two tables are not waiting or failed. */
const FILL: Readonly<Record<ExpiringTable, string>> = {
  one_time_token: `insert into ticket (hash, body, expires_at) select n, '{}', :at`,
  session: `insert into session (hash, holder_name, holder, started_at, seen_at, ends_at) select n, 'a', '{}', :at, :at, :at`,
  usage: `insert into usage (key_id, hour, status_class, requests) select n, :at, '2xx', 1`,
  notice: `insert into notice (account_id, occasion, notice, state, due_at, attempted_at)
    select 'acc', n, '{}', case n % 100 when 0 then 'waiting' else 'sent' end, :at, :at`,
  account_change: 'insert into account_change (n, hashes, at) select n, array[]::text[], :at',
  destination_delivery: `insert into destination_delivery (destination_id, at, entry) select 'dst', :at, '{}'`,
  request_log: `insert into request_log (key_id, at, method, path, query, status, duration_ms, request_id, network)
    select 'key', :at, 'GET', '/', '', 200, 1, n, 'a'`,
  payment_event: `insert into payment_event (id, type, at, received_at, state, payload, settled_at)
    select n, 't', :at, :at, case n % 100 when 0 then 'waiting' else 'applied' end, '', :at`,
};

type Node = {
  readonly 'Node Type': string;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Actual Rows': number;
  readonly Plans?: readonly Node[];
};
const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

describe('Expired rows in Postgres', () => {
  let schema: Schema;
  let db: Knex;
  before(async () => {
    schema = await freshSchema();
    db = schema.connect();
  });
  after(() => schema.close());
  beforeEach(async () => {
    await db.raw(
      'truncate account, account_change, destination_delivery, notice, payment_event, request_log, ticket, session, usage cascade',
    );
    // The trigger that logs accounts continues from the newest change.
    await db('account_change').insert({ n: 0, hashes: [] });
    await db('account').insert({ id: 'acc', email: 'a@example.org', body: '{}' });
  });

  const insert = async (table: ExpiringTable, rows: number, first: Moment = NOON) => {
    if (table === 'account_change') await db(table).delete();
    const at = `'${first}'::timestamptz + n * interval '1 second'`;
    await db.raw(`${FILL[table].replaceAll(':at', at)} from generate_series(1, ${rows}) as n`);
  };

  for (const table of EXPIRING_TABLES) {
    it(`read by an index only the rows of ${table} that they delete`, async () => {
      await insert(table, ROWS);
      await db.raw('analyze');
      const { sql, bindings } = expiredRowsQuery(db, table, { until: plus(NOON, HOUR), newestKept: 0 }, 1_000)
        .toSQL()
        .toNative();
      // The place of a row in its file is an implementation detail of one engine.
      expect(sql).not.to.include('ctid');
      const { rows } = await db.raw(`explain (analyze, format json) ${sql.replace(/\$\d/g, '?')}`, [
        ...bindings,
      ]);
      const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
      expect(nodes.map((node) => node['Node Type'])).not.to.include('Seq Scan');
      const read = Math.max(
        ...nodes.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)),
      );
      expect(read).to.equal(1_000);
    });

    if (table === 'account_change') continue;

    it(`skip a row of ${table} that another transaction has locked`, async () => {
      await insert(table, 2);
      const name = table === 'one_time_token' ? 'ticket' : table;
      await db.transaction(async (holder) => {
        await holder.raw(`select * from ${name} limit 1 for update`);
        expect(
          await new PostgresExpiredRows(db).delete(table, { until: plus(NOON, DAY), newestKept: 0 }, 1_000),
        ).to.equal(1);
      });
      expect(
        await new PostgresExpiredRows(db).delete(table, { until: plus(NOON, DAY), newestKept: 0 }, 1_000),
      ).to.equal(1);
    });
  }

  it('include those of version 0.2.0, which writes no time of the last attempt and of the application', async () => {
    const expiredRows = new PostgresExpiredRows(db);
    for (const table of ['notice', 'payment_event'] as const) await insert(table, 1);
    await db('notice').update({ attempted_at: null });
    await db('payment_event').update({ settled_at: null });
    for (const table of ['notice', 'payment_event'] as const) {
      expect(await expiredRows.delete(table, { until: NOON, newestKept: 0 }, 10), table).to.equal(0);
      expect(await expiredRows.delete(table, { until: plus(NOON, HOUR), newestKept: 0 }, 10), table).to.equal(
        1,
      );
    }
  });

  it('of a change log are only the first ones', async () => {
    const expiredRows = new PostgresExpiredRows(db);
    await insert('account_change', 6);
    await db('account_change')
      .where({ n: 4 })
      .update({ at: plus(NOON, DAY) });
    const expiry = { until: plus(NOON, HOUR), newestKept: 1 };
    expect(await expiredRows.delete('account_change', expiry, 1_000)).to.equal(3);
    expect(await db('account_change').orderBy('n').pluck('n')).to.deep.equal([4, 5, 6]);
    expect(await expiredRows.delete('account_change', expiry, 1_000)).to.equal(0);
  });

  it('include notices that a killed instance had claimed', async () => {
    await insert('notice', 1);
    await db('notice').update({ state: 'sending' });
    expect(
      await new PostgresExpiredRows(db).delete('notice', { until: plus(NOON, HOUR), newestKept: 0 }, 10),
    ).to.equal(1);
  });
});

describe('A migration that locks a table', () => {
  it('lets statements of others pass while it waits, and succeeds when the table is free', async () => {
    const url = await emptySchema();
    const db = connect(url, LONG_TIMEOUTS, 3);
    try {
      await migrate(url);
      while (!(await revertMigration(url)).includes('2026-11-27-retention'));
      let migrating: Promise<unknown> = Promise.resolve();
      await db.transaction(async (long) => {
        await long('notice').select();
        migrating = migrate(url);
        // It waits for the lock at most 2 s, then leaves the queue of the lock.
        await until(true, () => hasWaiter(db, 'notice'));
        await db('notice').select();
      });
      await migrating;
      expect(await db.schema.hasColumn('notice', 'attempted_at')).to.equal(true);
    } finally {
      await disconnect(db);
    }
  });
});

/** Whether somebody waits for a lock of the table. */
async function hasWaiter(db: Knex, table: string): Promise<boolean> {
  const { rows } = await db.raw('select 1 from pg_locks where not granted and relation = to_regclass(?)', [
    table,
  ]);
  return rows.length > 0;
}
