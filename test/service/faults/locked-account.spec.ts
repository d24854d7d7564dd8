import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { actOn, aKey, ndjson } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

const CALLS = 18;
const EVERY_MS = 150;

/** Who holds a lock is no fault of the server: only callers who need the row wait for it (D35). */
describe('A locked row of one account', function () {
  this.timeout(60_000);
  let service: Service;
  let client: Client;
  let db: Knex;
  before(async () => {
    const DATABASE_URL = await freshDatabase(serverUrl());
    service = await startService({ DATABASE_URL, REDIS_URL: redisUrl() });
    client = await Client.of(service);
    db = connect(DATABASE_URL, LONG_TIMEOUTS, 1);
  });
  after(async () => {
    await disconnect(db);
    await service.stop();
  });

  it('makes its own calls wait, then refuses them, and changes nothing for others', async () => {
    const [locked, other] = [await aKey(client), await aKey(client)];
    expect((await client.news(other.key)).status).to.equal(200);
    const held = await db.transaction();
    await held.raw('select 1 from account where id = ? for update', [locked.account]);
    const statuses = { locked: [] as number[], others: [] as number[] };
    const calls: Promise<unknown>[] = [];
    const note = async (list: number[], call: Promise<{ readonly status: number }>) =>
      void list.push((await call).status);
    for (let n = 0; n < CALLS; n += 1) {
      calls.push(note(statuses.locked, actOn(client, locked.key_id, 'hold', { reason: 'a test' })));
      calls.push(note(statuses.others, client.news(other.key, '?limit=1')));
      calls.push(note(statuses.others, client.publish(ndjson([publication({ id: `ne_${n}` })]))));
      await setTimeout(EVERY_MS);
    }
    await Promise.all(calls);
    await held.rollback();
    expect(new Set(statuses.locked)).to.deep.equal(new Set([503]));
    expect(new Set(statuses.others)).to.deep.equal(new Set([200]));
    expect(client.outputs().filter((line) => line.includes('cannot be used'))).to.deep.equal([]);
    expect((await actOn(client, locked.key_id, 'hold', { reason: 'a test' })).status).to.equal(200);
  });
});
