import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { Instances } from '../../../src/adapters/postgres/instances.js';
import { missingGrants, NEEDED_GRANTS } from '../../../src/adapters/postgres/needed-grants.js';
import { writeProbe } from '../../../src/adapters/postgres/write-probe.js';
import { Unwritable } from '../../../src/application/unavailable.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { ofAnotherRole, ROLE } from '../../support/servers/write-faults.js';

/** Only migrations write these tables, and a start reads them; triggers lock the last one as its owner. */
const WITHOUT_GRANTS = [
  'knex_migrations',
  'knex_migrations_lock',
  'schema_compatibility',
  'account_change_lock',
];

describe('The grants that the service needs', () => {
  let postgres: TestPostgres;
  let db: Knex;
  /** The owner of the tables. */
  let owner: Knex;
  before(async () => {
    postgres = await startTestPostgres();
    db = connect(await ofAnotherRole(postgres.url), REQUEST_TIMEOUTS, 1);
    owner = connect(postgres.url, REQUEST_TIMEOUTS, 1);
  });
  after(async () => {
    await Promise.all([db, owner].map(disconnect));
    await postgres.stop();
  });
  it('are listed for every table', async () => {
    const { rows } = await db.raw<{ rows: readonly { name: string }[] }>(
      "select tablename as name from pg_tables where schemaname = 'public'",
    );
    const tables = rows.map(({ name }) => name).filter((name) => !WITHOUT_GRANTS.includes(name));
    expect(Object.keys(NEEDED_GRANTS)).to.have.members(tables);
  });

  it('are those that docs/operations.md names', () => {
    const operations = readFileSync(resolve(import.meta.dirname, '../../../../docs/operations.md'), 'utf8');
    const documented = [...operations.matchAll(/^grant ([a-z, ]+) on ([a-z_, ]+) to oddswire;$/gm)].flatMap(
      ([, privileges = '', tables = '']) =>
        tables.split(', ').map((table) => [table, privileges.split(', ')] as const),
    );
    const ofTables = documented.filter(
      ([table]) => table !== 'schema public' && !WITHOUT_GRANTS.includes(table),
    );
    expect(Object.fromEntries(ofTables)).to.deep.equal(NEEDED_GRANTS);
  });

  it('are each reported by name when missing', async function () {
    this.timeout(60_000);
    expect(await missingGrants(db)).to.deep.equal([]);
    for (const [table, privileges] of Object.entries(NEEDED_GRANTS)) {
      for (const privilege of privileges) {
        await owner.raw(`revoke ${privilege} on ${table} from ${ROLE}`);
        expect(await missingGrants(db)).to.deep.equal([`${privilege} on ${table}`]);
        await owner.raw(`grant ${privilege} on ${table} to ${ROLE}`);
      }
    }
    expect(await missingGrants(db)).to.deep.equal([]);
  });

  it('make the write probe fail when missing, and its error names three of them', async () => {
    const probe = writeProbe(db, new Instances(db, () => {}), () => {});
    await probe(null);
    await owner.raw(`revoke insert, delete on item, item_sub_market from ${ROLE}`);
    const fault: unknown = await probe(null).catch((thrown) => thrown);
    await owner.raw(`grant insert, delete on item, item_sub_market to ${ROLE}`);
    expect(fault).to.be.instanceOf(Unwritable);
    expect(String(fault)).to.match(/permissions are missing: (?:\w+ on \w+(?:, )?){3} and 1 more$/);
    await probe(null);
  });
});
