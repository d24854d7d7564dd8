import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../../../../src/adapters/postgres/connection.js';
import { lockFeed } from '../../../../src/adapters/postgres/feed/feed-writing.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';

describe('The feed lock', () => {
  let schema: Schema;
  let db: Knex;
  before(async () => {
    schema = await freshSchema();
    // One connection: the next transaction would see a setting that the previous one left in the session.
    db = connect(schema.url, REQUEST_TIMEOUTS, 1);
  });
  after(async () => {
    await disconnect(db);
    await schema.close();
  });

  const idleTimeoutOf = async (session: Knex): Promise<string> => {
    const { rows } = await session.raw('show idle_in_transaction_session_timeout');
    return rows[0].idle_in_transaction_session_timeout;
  };

  it('is lost by a transaction that is idle for 2 s; other transactions may be idle for 5 s', async () => {
    const ofLock = await db.transaction(async (tx) => {
      await lockFeed(tx);
      return idleTimeoutOf(tx);
    });
    const ofNext = await db.transaction((tx) => idleTimeoutOf(tx));
    expect([ofLock, ofNext]).to.deep.equal(['2s', '5s']);
  });

  it('is acquired in one round trip, together with its timeout', async () => {
    const sent: string[] = [];
    await db.transaction(async (tx) => {
      tx.on('query', ({ sql }: { readonly sql: string }) => sent.push(sql));
      await lockFeed(tx);
    });
    expect(sent.filter((sql) => /advisory|set_config|set local/i.test(sql))).to.have.length(1);
  });
});
