import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresAccounts } from '../../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresRequestLogs } from '../../../../src/adapters/postgres/limits/postgres-request-logs.js';
import { plus, SECOND } from '../../../../src/domain/moment.js';
import { NOON } from '../../../support/objects/builders.js';
import { loggedRequest } from '../../../support/objects/logged-requests.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';
import { anAccount, firstKey } from '../../../support/service/accounts.js';

/** What this adapter guarantees beyond the contract suite of its port. */
describe('The request log in Postgres', () => {
  let schema: Schema;
  let db: Knex;
  beforeEach(async () => {
    schema = await freshSchema();
    db = schema.connect();
  });
  afterEach(() => schema.close());

  it('stores few requests of a key beyond the 100 that are shown, from several instances', async () => {
    const { id: key } = firstKey(await anAccount(new PostgresAccounts(db)));
    const instances = [1, 2].map(() => new PostgresRequestLogs(schema.connect()));
    for (let i = 0; i < 60; i += 1) {
      const some = Array.from({ length: 10 }, (_, n) =>
        loggedRequest({ key, at: plus(NOON, (10 * i + n) * SECOND) }),
      );
      await Promise.all(instances.map((logs) => logs.add(some)));
    }
    const stored = Number((await db('request_log').count())[0]?.['count']);
    expect(stored).to.be.within(100, 200);
    expect(await instances[0]?.of([key], NOON)).to.have.length(100);
  });
});
