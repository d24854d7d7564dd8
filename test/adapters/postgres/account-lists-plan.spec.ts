import { expect } from 'chai';
import { PostgresAccountLists } from '../../../src/adapters/postgres/accounts/postgres-account-lists.js';
import { ENTRIES_READ_MAX } from '../../../src/application/ports/accounts/account-lists.js';
import { DAY, type Moment, plus, startOfDay } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../support/servers/stores.js';

const ROWS = 20_000;

type Query = { readonly sql: string; readonly bindings: readonly (string | number)[] };

describe('The lists of accounts in Postgres', () => {
  let schema: Schema;
  before(async () => {
    schema = await freshSchema();
    const db = schema.connect();
    const numbers = `from generate_series(1, ${ROWS}) as n`;
    await db.raw(
      `insert into account (id, email, body, due_at)
       select 'acc_' || n, n || '@e' || n || '.org', json_build_object(
         'openedAt', '2026-01-01', 'keys', '[]'::json,
         'subscription', json_build_object('id', 'sub_' || n, 'state', 'active',
           'plan', case when n % 50 = 0 then 'builder' else 'free' end,
           'standing', json_build_object('status', 'active'))), :noon::timestamptz + n * interval '1 hour' ${numbers}`,
      { noon: NOON },
    );
    await db.raw(
      `insert into payment_event (id, type, at, received_at, fact, state, payload)
       select 'evt_' || n, 'x', :noon, :noon,
         json_build_object('invoice', 'in_' || n, 'subscription', 'ps_' || n), 'applied', '' ${numbers}`,
      { noon: NOON },
    );
    // No operator of Postgres reads a text in this body: it is in no list, and hinders none.
    const body = JSON.stringify({ payments: '\0', subscription: { state: 'unpaid' } }).replaceAll("'", "''");
    await db.raw(`insert into account (id, email, body) values ('acc_odd', 'odd@odd.org', '${body}')`);
    await db.raw(
      `insert into audit (account_id, entry)
       select 'acc_1', json_build_object('event', 'cancelled', 'at', :noon::text) ${numbers}`,
      { noon: NOON },
    );
    await db.raw(
      `insert into account (id, email, body)
       select 'acc_gone_' || n, 'deleted-' || n, json_build_object('openedAt', '2025-01-01') ${numbers}`,
    );
    await db.raw('analyze account, audit, payment_event');
  });
  after(() => schema.close());

  it('count the cancellations among the newest entries of the audit log, and name the last day that misses some', async () => {
    const db = schema.connect();
    const lists = new PostgresAccountLists(db);
    const day = plus(startOfDay(NOON), 30 * DAY);
    const entries = (event: string, at: Moment, count: number) =>
      db.raw(
        `insert into audit (account_id, entry)
         select 'acc_1', json_build_object('event', :event::text, 'at', :at::text) from generate_series(1, :count)`,
        { event, at, count },
      );
    await entries('cancelled', day, 2);
    await entries('held', plus(day, DAY), ENTRIES_READ_MAX - 2);
    const canceled = async () => {
      const counts = await lists.byDay(day);
      return [counts.canceled.get(day), counts.uncountedUntil];
    };
    expect(await canceled()).to.deep.equal([2, startOfDay(NOON)]);
    await entries('held', plus(day, DAY), 1);
    expect(await canceled()).to.deep.equal([1, day]);
  });

  // biome-ignore format: a table is read by its columns
  const reads: readonly (readonly [name: string, read: (lists: PostgresAccountLists) => Promise<unknown>, indexes: readonly string[]])[] = [
    ['withEmailPart', (lists) => lists.withEmailPart('1999', 20), ['account_email_beginning', 'account_email_domain']],
    ['withOtherId', (lists) => lists.withOtherId('in_7', 20), ['account_subscription', 'payment_event_invoice', 'payment_event_subscription']],
    ['newest', (lists) => lists.newest(20), ['account_opened']],
    ['byDay', (lists) => lists.byDay(NOON), ['account_opened', 'deleted_account_opened', 'audit_pkey']],
    ['refused', (lists) => lists.refused(100), ['account_blocked']],
    ['dunningEnded', (lists) => lists.dunningEnded(40), ['account_blocked']],
    ['suspectedOfAbuse', (lists) => lists.suspectedOfAbuse(20), ['account_abuse']],
    ['onPlan', (lists) => lists.onPlan('builder', 1_000), ['account_plan']],
    ['listingMoreKeys', (lists) => lists.listingMoreKeys('builder', 2, 20), ['account_plan']],
    ['dunningDueBy', (lists) => lists.dunningDueBy(NOON, 20), ['account_due']],
  ];
  for (const [name, read, indexes] of reads) {
    it(`are read by indexes, without a scan of a table: ${name}`, async () => {
      const db = schema.connect();
      const queries: Query[] = [];
      db.on('query', (query: Query) => queries.push(query));
      await read(new PostgresAccountLists(db));
      const [query] = queries;
      if (query === undefined) throw new Error('nothing was read');
      const { rows } = await db.raw(`explain ${query.sql.replaceAll(/\$\d+/g, '?')}`, [...query.bindings]);
      const plan = rows.map((row: Readonly<Record<string, string>>) => row['QUERY PLAN']).join('\n');
      expect(plan).to.not.include('Seq Scan');
      for (const index of indexes) expect(plan).to.include(index);
    });
  }
});
