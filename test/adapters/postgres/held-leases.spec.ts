import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresHeldLeases } from '../../../src/adapters/postgres/postgres-held-leases.js';
import { freshSchema, type Schema } from '../../support/servers/stores.js';

describe('PostgresHeldLeases', () => {
  let schema: Schema;
  let db: Knex;
  before(async () => {
    schema = await freshSchema();
    db = schema.connect();
  });
  after(() => schema.close());

  it('end 5 s after the last renewal, by the clock of the database', async () => {
    const leases = new PostgresHeldLeases(db);
    expect([...(await leases.renew('killed', ['job']))]).to.deep.equal(['job']);
    const { rows } = await db.raw<{ rows: readonly { readonly left: number }[] }>(
      'select extract(epoch from held_until - clock_timestamp())::float as left from held_lease',
    );
    expect(rows[0]?.left).to.be.within(0, 5);
    expect(rows[0]?.left).to.be.greaterThan(2);
    const passed = (seconds: number) =>
      db.raw("update held_lease set held_until = held_until - ? * interval '1 second'", [seconds]);
    expect([...(await leases.renew('next', ['job']))]).to.deep.equal([]);
    await passed(6);
    expect([...(await leases.renew('next', ['job']))]).to.deep.equal(['job']);
    expect([...(await leases.renew('killed', ['job']))]).to.deep.equal([]);
    await leases.release('killed');
    expect([...(await leases.renew('killed', ['job']))]).to.deep.equal([]);
  });
});
