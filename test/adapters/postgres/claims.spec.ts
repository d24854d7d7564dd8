import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresAccounts } from '../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresOutbox } from '../../../src/adapters/postgres/accounts/postgres-outbox.js';
import { PostgresLeases } from '../../../src/adapters/postgres/postgres-leases.js';
import { rotateKey } from '../../../src/domain/keys/account-keys.js';
import { DAY, HOUR, plus } from '../../../src/domain/moment.js';
import { auditContext, NOON } from '../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../support/servers/stores.js';
import { aFreshKey, anAccount, firstKey } from '../../support/service/accounts.js';

/** Claims of instances that were killed. The contract suites test claims of running instances. */
describe('A claim of a killed instance', () => {
  let schema: Schema;
  let db: Knex;
  before(async () => {
    schema = await freshSchema();
    db = schema.connect();
  });
  after(() => schema.close());

  it('on due work expires within 15 s', async () => {
    const accounts = new PostgresAccounts(db);
    const { id, keys } = await anAccount(accounts);
    await accounts.change(id, (found) =>
      rotateKey(found, firstKey({ ...found, keys }).id, aFreshKey(), auditContext()),
    );
    const due = plus(NOON, 2 * DAY);
    expect(await accounts.claimDue(due, 10)).to.deep.equal([id]);
    expect(await accounts.claimDue(due, 10)).to.deep.equal([]);
    const { rows } = await db.raw(
      "select claimed_until <= clock_timestamp() + interval '15 seconds' as soon from account where id = ?",
      [id],
    );
    expect(rows).to.deep.equal([{ soon: true }]);
    await db('account')
      .where({ id })
      .update({ claimed_until: db.raw("clock_timestamp() - interval '1 second'") });
    expect(await accounts.claimDue(due, 10)).to.deep.equal([id]);
  });

  it('on a background job, its lease, expires within 2 minutes', async () => {
    const leases = new PostgresLeases(db);
    await leases.acquire('a job', NOON, false);
    expect(await leases.acquire('a job', plus(NOON, HOUR), true)).to.equal(null);
    await db('turn').update({ taken_until: db.raw("taken_until - interval '2 minutes'") });
    expect(await leases.acquire('a job', NOON, false)).to.include({ checkpoint: null });
  });

  it('on a notice never expires, because the email may have been sent', async () => {
    const [accounts, outbox] = [new PostgresAccounts(db), new PostgresOutbox(db)];
    await anAccount(accounts);
    await outbox.claim(plus(NOON, 2 * DAY), 100);
    expect(await new PostgresOutbox(schema.connect()).claim(plus(NOON, 1_000 * DAY), 100)).to.deep.equal([]);
    expect(await db('notice').where({ state: 'sending' }).count()).not.to.deep.equal([{ count: 0 }]);
  });
});
