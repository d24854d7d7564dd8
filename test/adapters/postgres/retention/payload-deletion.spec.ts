import { expect } from 'chai';
import type { Knex } from 'knex';
import { deletePayloads } from '../../../../src/adapters/postgres/billing/payload-deletion.js';
import { account, NOON } from '../../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';

const EVENTS = 50_000;
/** More than the events of one customer, the failed events, or the events without a customer. */
const READ_MAX = 100;

type Node = {
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Node[];
};
const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

describe('The deletion of the payloads of one account', () => {
  let schema: Schema;
  let db: Knex;
  before(async () => {
    schema = await freshSchema();
    db = schema.connect();
    await db.raw(
      `insert into payment_event (id, type, at, received_at, state, payload, account_id, customer, links_to, fault)
       select n, 't', ?::timestamptz, ?::timestamptz, case when n % 5000 = 0 then 'failed' else 'applied' end, 'x',
         case when n % 2 = 0 then 'acc_' || n % 10000 end, case when n % 1000 > 0 then 'cus_' || n % 10000 end, case when n % 50 = 0 then 'acc_' || n end, null
       from generate_series(1, ?) as n`,
      [NOON, NOON, EVENTS],
    );
    await db.raw('analyze payment_event');
  });
  after(() => schema.close());

  it('reads only few other events, by indexes', async () => {
    const statements: { readonly sql: string; readonly bindings: readonly unknown[] }[] = [];
    const record = (query: { readonly sql: string; readonly bindings: readonly unknown[] }) =>
      void (query.sql.includes('payment_event') && statements.push(query));
    db.on('query', record);
    await db.transaction((tx) => deletePayloads(tx, { ...account(), processorCustomerId: 'cus_7' }, NOON));
    db.off('query', record);
    // The last one finds no further events without a customer.
    expect(statements).to.have.length(3);
    for (const { sql, bindings } of statements) {
      const { rows } = await db.raw(`explain (analyze, format json) ${sql.replace(/\$\d+/g, '?')}`, [
        ...bindings,
      ] as string[]);
      const read = nodesOf(rows[0]['QUERY PLAN'][0].Plan).map(
        (node) =>
          node['Actual Rows'] +
          (node['Rows Removed by Filter'] ?? 0) +
          (node['Rows Removed by Index Recheck'] ?? 0),
      );
      expect(Math.max(...read)).to.be.at.most(READ_MAX);
    }
  });
});
