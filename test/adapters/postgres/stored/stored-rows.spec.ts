import { expect } from 'chai';
import type { Knex } from 'knex';
import { Instances } from '../../../../src/adapters/postgres/instances.js';
import { postgresStores } from '../../../../src/adapters/postgres/postgres-stores.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';
import { type Stores, writeEverything } from '../../../support/versions/stored-objects.js';
import { rowsBefore, rowsOf, STORED_TABLES, withoutProse } from '../../../support/versions/stored-rows.js';
import { VERSION_BEFORE } from '../../../support/versions/version-before.js';

/**
 * The names of columns and of stored JSON fields must not change with the names in the code. The previous version reads the
 * same rows during a rolling update and after a rollback. `test/fixtures` has the exact rows.
 */
describe('The Postgres adapters', () => {
  let schema: Schema;
  let db: Knex;
  let stores: Stores;
  before(async () => {
    schema = await freshSchema();
    db = schema.connect();
    stores = postgresStores(db);
    await writeEverything(db, stores);
  });
  after(async () => {
    await Promise.all([stores.usage.close(), stores.keyUses.close()]);
    await schema.close();
  });

  for (const table of STORED_TABLES) {
    it(`write the rows of ${table} exactly as ${VERSION_BEFORE} does, field by field`, async () => {
      expect(withoutProse(await rowsOf(db, table))).to.deep.equal(withoutProse(rowsBefore(table)));
    });
  }

  it(`write the row of an instance in the columns of ${VERSION_BEFORE}`, async () => {
    const instances = new Instances(db, () => {});
    await instances.beat();
    await instances.showClock(7);
    const row: Readonly<Record<string, unknown>> = await db('instance').where({ id: instances.id }).first();
    expect(Object.keys(row).sort()).to.deep.equal(['clock_offset', 'id', 'seen_at']);
    expect(row['clock_offset']).to.equal(7);
    await instances.close();
  });

  it('have a fixture for each table with content', async () => {
    const { rows } = await db.raw<{ rows: readonly { readonly name: string }[] }>(
      'select table_name as name from information_schema.tables where table_schema = current_schema()',
    );
    const others = ['instance', 'knex_migrations', 'knex_migrations_lock', 'schema_compatibility'];
    const added = ['account_change', 'account_change_lock', 'item_facet', 'item_terms', 'term'];
    added.push('item_audit', 'item_version', 'item_version_sub_market', 'purge');
    added.push('held_lease', 'market', 'market_generation', 'market_item', 'market_key', 'market_title');
    added.push('destination', 'destination_counter', 'destination_delivery', 'request_log', 'sandbox_key');
    const names = rows.map(({ name }) => name).filter((name) => ![...others, ...added].includes(name));
    expect(names.sort()).to.deep.equal([...STORED_TABLES].sort());
  });
});
