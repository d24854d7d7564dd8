import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../../../../src/adapters/postgres/connection.js';
import { PostgresUsageHistory } from '../../../../src/adapters/postgres/limits/postgres-usage-history.js';
import { HOUR, plus } from '../../../../src/domain/moment.js';
import { keyId, NOON } from '../../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';

const KEY = keyId('a key');

/** What this adapter guarantees beyond the contract suite of its port. */
describe('Usage history in Postgres', () => {
  let schema: Schema;
  let db: Knex;
  beforeEach(async () => {
    schema = await freshSchema();
    db = schema.connect();
  });
  afterEach(() => schema.close());

  const stored = async () => (await db('usage').orderBy(['hour', 'key_id'])).map(({ requests }) => requests);

  it('is written when an instance shuts down', async () => {
    const usage = new PostgresUsageHistory(db);
    for (const status of [200, 201]) usage.note(KEY, status, NOON);
    await usage.close();
    expect(await stored()).to.deep.equal([2]);
  });

  it('stays in memory while it cannot be written, and is not lost', async () => {
    const usage = new PostgresUsageHistory(db);
    await db.raw('alter table usage rename to elsewhere');
    usage.note(KEY, 200, NOON);
    await usage.write();
    usage.note(KEY, 200, NOON);
    usage.note(KEY, 200, plus(NOON, HOUR));
    await usage.write();
    await db.raw('alter table elsewhere rename to usage');
    usage.note(KEY, 200, NOON);
    await usage.close();
    expect(await stored()).to.deep.equal([3, 1]);
  });

  it('is counted once, even if a statement completes on the server after the client timed out', async () => {
    const impatient = connect(schema.url, { ...REQUEST_TIMEOUTS, statementMs: 200 }, 1);
    const usage = new PostgresUsageHistory(impatient);
    try {
      usage.note(KEY, 200, NOON);
      await usage.write();
      // Without its own timeout the server still waits for the row after the client has timed out.
      await impatient.raw('set statement_timeout = 0');
      await db.transaction(async (holder) => {
        await holder('usage').forUpdate();
        usage.note(KEY, 200, NOON);
        await usage.write();
      });
      await usage.close();
      expect(await stored()).to.deep.equal([2]);
    } finally {
      await disconnect(impatient);
    }
  });

  it('is written in several statements if it has many rows', async () => {
    const usage = new PostgresUsageHistory(db);
    const keys = Array.from({ length: 12_000 }, (_, i) => keyId(`key ${i}`));
    for (const key of keys) usage.note(key, 200, NOON);
    expect(await usage.of(keys, NOON)).to.have.length(12_000);
    await usage.close();
    expect(await stored()).to.have.length(12_000);
  });
});
