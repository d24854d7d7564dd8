import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresAccounts } from '../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { migrate, revertMigration } from '../../../src/adapters/postgres/migrate.js';
import { MIGRATIONS } from '../../../src/adapters/postgres/migrations/migrations.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { issueKey, revokeKey } from '../../../src/domain/keys/account-keys.js';
import { HOUR, plus } from '../../../src/domain/moment.js';
import { accepted, auditContext, NOON } from '../../support/objects/builders.js';
import { emptySchema } from '../../support/servers/stores.js';
import { aFreshKey, anAccount } from '../../support/service/accounts.js';

describe('The migration to closed keys', () => {
  let url: string;
  let db: Knex;
  beforeEach(async () => {
    url = await emptySchema();
    db = connect(url, LONG_TIMEOUTS, 2);
    await migrate(url);
  });
  afterEach(() => disconnect(db));

  it('lets accounts list all their keys again when it is reverted, in the order of issue', async () => {
    const accounts = new PostgresAccounts(db);
    const { id } = await anAccount(accounts, 0, 'free');
    const all: string[] = [];
    for (let n = 0; n < 25; n += 1) {
      const [fresh, context] = [aFreshKey(), auditContext(plus(NOON, 2 * n * HOUR))];
      accepted(await accounts.change(id, (found) => issueKey(found, fresh, PLANS.free, context)));
      await accounts.change(id, (found) => revokeKey(found, fresh.id, 'manual', context));
      all.push(fresh.id);
    }
    const listed = async (): Promise<readonly string[]> =>
      (await db('account').first('body')).body.keys.map((key: { readonly id: string }) => key.id);
    expect(await listed()).to.deep.equal(all.slice(4));
    const latest = [...MIGRATIONS.keys()].reverse();
    for (const name of latest.slice(0, latest.indexOf('2026-11-30-closed-keys') + 1))
      expect(await revertMigration(url)).to.deep.equal([name]);
    expect(await listed()).to.deep.equal(all);
    expect((await db('account').first('body')).body).not.to.have.property('closedKeys');
    await migrate(url);
    const next = accepted(
      await accounts.change(id, (found) =>
        issueKey(found, aFreshKey(), PLANS.free, auditContext(plus(NOON, 1_000 * HOUR))),
      ),
    );
    expect([next.keys.length, next.closedKeys]).to.deep.equal([21, 5]);
  });
});
