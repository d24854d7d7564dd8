import { expect } from 'chai';
import { accountUsageQuery } from '../../../src/adapters/postgres/limits/postgres-account-usage.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import { keyId, NOON } from '../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../support/servers/stores.js';

const KEYS = 20_000;

type Node = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Node[];
};
const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

describe('The usage of accounts in Postgres', () => {
  let schema: Schema;
  before(async () => {
    schema = await freshSchema();
  });
  after(() => schema.close());

  for (const [title, statement] of [
    ['without statistics', 'select 1'],
    ['with statistics', 'analyze usage, api_key'],
  ] as const) {
    it(`is read by the primary key of the usage, for one key and for many, ${title}`, async () => {
      const db = schema.connect();
      await db.raw('truncate account, usage cascade');
      const numbers = `from generate_series(1, ${KEYS}) as n`;
      await db.raw(
        `insert into account (id, email, body) select 'acc_' || n, n || '@e.org', '{}' ${numbers}`,
      );
      await db.raw(
        `insert into api_key (id, hash, account_id) select 'key_' || n, n, 'acc_' || (n % 10000 + 1) ${numbers}`,
      );
      await db.raw(
        `insert into usage (key_id, hour, status_class, requests)
         select 'key_' || n, :noon::timestamptz - h * interval '1 hour', '2xx', 1 ${numbers}, generate_series(0, 4) as h`,
        { noon: NOON },
      );
      await db.raw(statement);
      for (const count of [1, 100]) {
        const keys = Array.from({ length: count }, (_, i) => keyId(`key_${i * 37 + 1}`));
        const query = accountUsageQuery(db, keys, plus(NOON, -DAY)).toQuery();
        const { rows } = await db.raw(`explain (format json) ${query}`);
        const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
        expect(nodes.map((node) => node['Index Name'])).to.include('usage_pkey');
        const scanned = nodes.filter((node) => node['Node Type'].includes('Seq Scan'));
        expect(scanned.map((node) => node['Relation Name'])).not.to.include('usage');
      }
    });
  }
});
