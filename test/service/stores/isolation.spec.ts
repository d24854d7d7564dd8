import { expect } from 'chai';
import pg from 'pg';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { serverUrl } from '../../support/servers/stores.js';
import { account, issue, ndjson, unique } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** Its default refuses concurrent changes that locks decide; sessions of the service do not use it. */
describe('The service on a database whose default isolation is serializable', function () {
  this.timeout(30_000);
  let service: Service;
  let client: Client;
  before(async () => {
    const url = await freshDatabase(serverUrl());
    const db = new pg.Client(url);
    await db.connect();
    await db.query(
      `alter database "${new URL(url).pathname.slice(1)}" set default_transaction_isolation = 'serializable'`,
    );
    await db.end();
    service = await startService({ DATABASE_URL: url });
    client = await Client.of(service);
  });
  after(() => service.stop());

  it('stores the items of 12 publishers and the keys of 10 calls at once', async () => {
    const publish = async (publisher: number) => {
      const statuses: number[] = [];
      for (let n = 0; n < 5; n += 1) {
        const reply = await client.publish(ndjson([publication({ id: `p${publisher}-${n}-${unique()}` })]));
        statuses.push(reply.status);
      }
      return statuses;
    };
    const id = await account(client, 'pro');
    const others = await Promise.all(Array.from({ length: 9 }, () => account(client, 'pro')));
    const [published] = await Promise.all([
      Promise.all(Array.from({ length: 12 }, (_, n) => publish(n))),
      Promise.all([id, ...others].map((each) => issue(client, each))),
    ]);
    expect(new Set(published.flat())).to.deep.equal(new Set([200]));
  });
});
