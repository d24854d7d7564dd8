import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { actOn, advance, aKey } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** More than one batch. */
const CHANGES = 2_500;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** The retention rules of the change logs in docs/operations.md, with two instances that follow the logs. */
describe('The service deletes expired changes', function () {
  this.timeout(60_000);
  let service: Service;
  let client: Client;
  let db: Knex;
  before(async () => {
    const url = await freshDatabase(serverUrl());
    db = connect(url, LONG_TIMEOUTS, 2);
    await db.raw(
      `insert into feed_change (n, item_id, kind) select n, 'gone', 'retracted' from generate_series(1, ?) as n`,
      [CHANGES],
    );
    await db('feed_head').update({ last_n: CHANGES, past_n: CHANGES });
    service = await startService({ DATABASE_URL: url, REDIS_URL: redisUrl(), CHANGES_KEPT_DAYS: '2' }, 2);
    client = await Client.of(service);
  });
  after(async () => {
    await service.stop();
    await disconnect(db);
  });

  const numbersIn = async (log: 'account_change' | 'feed_change') => {
    const [row] = await db(log).count('n as rows').min('n as first').max('n as last');
    return row as { readonly rows: number; readonly first: number; readonly last: number };
  };

  it('account changes after 24 hours, except the newest one; a revocation is effective before and after', async () => {
    const [one, other] = [await aKey(client), await aKey(client)];
    const before = await numbersIn('account_change');
    expect(before.rows).to.be.greaterThan(3);
    await advance(client, DAY_SECONDS - HOUR_SECONDS);
    expect(await numbersIn('account_change')).to.deep.equal(before);
    await advance(client, 2 * HOUR_SECONDS);
    expect(await numbersIn('account_change')).to.deep.equal({
      rows: 1,
      first: before.last,
      last: before.last,
    });
    await actOn(client, one.key_id, 'revoke', { cause: 'manual' });
    expect((await numbersIn('account_change')).last).to.equal(before.last + 1);
    for (const _ of [1, 2]) {
      expect((await client.news(one.key)).status).to.equal(401);
      expect((await client.news(other.key)).status).to.equal(200);
    }
  });

  it('no feed changes, whatever CHANGES_KEPT_DAYS is (D59)', async () => {
    const all = { rows: CHANGES + 1, first: 0, last: CHANGES };
    await advance(client, 10 * DAY_SECONDS);
    expect(await numbersIn('feed_change')).to.deep.equal(all);
    await db('feed_change').delete();
    expect(await numbersIn('feed_change')).to.deep.equal(all);
  });
});
