import { expect } from 'chai';
import type { Knex } from 'knex';
import { bodyOf } from '../../../src/adapters/postgres/accounts/account-body.js';
import { PostgresAccounts } from '../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { migrate, requireNewestSchema, revertMigration } from '../../../src/adapters/postgres/migrate.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { NO_PAYMENT_FACTS } from '../../../src/domain/billing/payment-event.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { type FreshKey, issueKey } from '../../../src/domain/keys/account-keys.js';
import { accepted, auditContext } from '../../support/objects/builders.js';
import { emptySchema } from '../../support/servers/stores.js';
import { aFreshKey, anOpening } from '../../support/service/accounts.js';

describe('Migrations', () => {
  let url: string;
  let db: Knex;
  beforeEach(async () => {
    url = await emptySchema();
    db = connect(url, LONG_TIMEOUTS, 2);
  });
  afterEach(() => disconnect(db));

  const tables = async (): Promise<readonly string[]> => {
    const { rows } = await db.raw(
      'select table_name from information_schema.tables where table_schema = current_schema() order by 1',
    );
    return rows
      .map(({ table_name }: { table_name: string }) => table_name)
      .filter((name: string) => !name.startsWith('knex_') && name !== 'schema_compatibility');
  };

  it('can be applied, all reverted, and applied again', async () => {
    const { applied: made } = await migrate(url);
    expect(made).not.to.deep.equal([]);
    const all = await tables();
    expect(all).to.include.members(['account', 'api_key', 'audit', 'feed_change', 'item']);
    for (const _ of made) expect(await revertMigration(url)).to.have.length(1);
    expect(await tables()).to.deep.equal([]);
    expect(await revertMigration(url)).to.deep.equal([]);
    expect((await migrate(url)).applied).to.deep.equal(made);
    expect(await tables()).to.deep.equal(all);
  });

  it('are applied once by ten instances that start at the same time', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => migrate(url)));
    expect(made.filter((one) => one.applied.length > 0)).to.have.length(1);
  });

  it('continue after an instance was killed during one', async () => {
    await migrate(url);
    await db('knex_migrations_lock').update({ is_locked: 1 });
    expect(await migrate(url)).to.deep.equal({ applied: [], newer: [] });
    expect(await db('knex_migrations_lock').first('is_locked')).to.deep.equal({ is_locked: 0 });
  });

  it('are requested by the error message if the start must not apply them (MIGRATE=off)', async () => {
    const fault = await requireNewestSchema(url).catch((thrown: unknown) => thrown);
    expect(fault).to.be.instanceOf(Error).with.property('message').that.includes('npm run migrate');
    await migrate(url);
    await requireNewestSchema(url);
  });

  it('add the payment fields to accounts of an older version, and can revert that (D27)', async () => {
    await migrate(url);
    const account = accepted(await new PostgresAccounts(db).open(anOpening('builder')));
    const withoutPayments = await (async () => {
      while (!(await revertMigration(url)).includes('2026-11-22-payments'));
      return (await db('account').first('body')).body;
    })();
    const { openedPlan, payments, dunning, pending, subscription, ...rest } = bodyOf(account);
    const { watch, ...older } = subscription;
    expect([openedPlan, payments, dunning, pending, watch.isOn]).to.deep.equal([
      'builder',
      NO_PAYMENT_FACTS,
      [],
      [],
      true,
    ]);
    expect(withoutPayments).to.deep.equal({ ...rest, subscription: older });
    await migrate(url);
    expect((await db('account').first('body')).body).to.deep.equal(bodyOf(account));
  });

  /** Reverts the migration of that name and all later ones. */
  const revertTo = async (name: string) => {
    while (!(await revertMigration(url)).includes(name));
  };
  const issued = async (id: AccountId, fresh: FreshKey) =>
    accepted(
      await new PostgresAccounts(db).change(id, (account) =>
        issueKey(account, fresh, PLANS.pro, auditContext()),
      ),
    );

  it('make accounts of an older version findable by key prefix, and can revert that (D42)', async () => {
    await migrate(url);
    const accounts = new PostgresAccounts(db);
    const [one, other] = [
      accepted(await accounts.open(anOpening())),
      accepted(await accounts.open(anOpening())),
    ];
    const prefixes = ['svc_aaaaaaaa', 'svc_bbbbbbbb', 'svc_cccccccc'];
    for (const [i, prefix] of prefixes.entries()) {
      await issued(i === 2 ? other.id : one.id, { ...aFreshKey(), prefix });
    }
    const stored = () => db('api_key').orderBy('prefix').pluck('prefix');
    expect(await stored()).to.deep.equal(prefixes);
    await revertTo('2026-11-24-sign-in');
    // More keys than one batch; their account does not list them.
    await db.raw(
      `insert into api_key (id, hash, account_id) select 'key_' || n, 'hash ' || n, ? from generate_series(1, 1200) n`,
      [one.id],
    );
    expect(await tables()).not.to.include.members(['ticket', 'session', 'identity']);
    expect(await db('api_key').first()).to.have.all.keys('id', 'hash', 'account_id', 'last_used_at');
    await migrate(url);
    expect((await stored()).filter((prefix) => prefix !== null)).to.deep.equal(prefixes);
    const found = await Promise.all(prefixes.map((prefix) => accounts.findByKeyPrefix(prefix)));
    expect(found.map(([account]) => account?.id)).to.deep.equal([one.id, one.id, other.id]);
  });

  it('let an instance of the previous version issue keys, which are found like any other (D42)', async () => {
    await migrate(url);
    const accounts = new PostgresAccounts(db);
    const { id } = accepted(await accounts.open(anOpening()));
    const fresh = { ...aFreshKey(), prefix: 'svc_dddddddd' };
    const found = accepted(await issued(id, { ...aFreshKey(), prefix: 'svc_aaaaaaaa' }));
    const { next } = accepted(issueKey(found, fresh, PLANS.pro, auditContext()));
    // Writes as the previous version does: the account, then the key without its prefix.
    await db('account')
      .where({ id })
      .update({ body: JSON.stringify(bodyOf(next)) });
    await db.raw('insert into api_key (id, hash, account_id) values (?, ?, ?)', [fresh.id, fresh.hash, id]);
    expect(await accounts.findByKey(fresh.id)).to.deep.equal(next);
    for (const prefix of ['svc_aaaaaaaa', 'svc_dddddddd']) {
      expect(await accounts.findByKeyPrefix(prefix), prefix).to.deep.equal([next]);
    }
    expect(await accounts.findByKeyPrefix('svc_eeeeeeee')).to.deep.equal([]);
    expect((await issued(id, aFreshKey())).keys).to.have.length(3);
  });

  it('do not change other schemas of the database', async () => {
    const other = await emptySchema();
    await migrate(url);
    const outside = connect(other, LONG_TIMEOUTS, 1);
    const { rows } = await outside.raw(
      'select count(*) as tables from information_schema.tables where table_schema = current_schema()',
    );
    await disconnect(outside);
    expect(rows).to.deep.equal([{ tables: 0 }]);
  });
});
