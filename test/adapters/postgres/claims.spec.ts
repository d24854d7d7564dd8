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

/** Postgres joins an empty table by reading it first. If the choice of rows is the inner side of the join, it is made again. */
describe('A claim when Postgres takes its table for empty', () => {
  let schema: Schema;
  let db: Knex;
  before(async () => {
    schema = await freshSchema();
    db = schema.connect();
  });
  after(() => schema.close());

  /** Five accounts with a key that is replaced and a notice, in tables whose statistics say that they have no rows. */
  const fiveAccounts = async () => {
    const accounts = new PostgresAccounts(db);
    for (let i = 0; i < 5; i += 1) await anAccount(accounts);
    // Rows that are deleted leave pages, so that Postgres counts rows by its statistics: none.
    for (const table of ['audit', 'api_key', 'notice', 'account']) await db(table).delete();
    await db.raw('analyze account, notice');
    for (let i = 0; i < 5; i += 1) {
      const account = await anAccount(accounts);
      await accounts.change(account.id, (found) =>
        rotateKey(found, firstKey(account).id, aFreshKey(), auditContext()),
      );
    }
    return accounts;
  };

  it('takes as many notices as it was asked for', async () => {
    await fiveAccounts();
    expect(await new PostgresOutbox(db).claim(plus(NOON, 2 * DAY), 2)).to.have.length(2);
  });

  it('takes as much due work as it was asked for', async () => {
    const accounts = await fiveAccounts();
    const due = plus(NOON, 2 * DAY);
    expect(await accounts.claimDue(due, 2)).to.have.length(2);
    expect(await accounts.claimDue(due, 10)).to.have.length(3);
  });
});
