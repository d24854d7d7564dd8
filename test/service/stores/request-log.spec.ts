import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { aKey } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

/** The plan of the key has this many requests a day. */
const A_DAY = 5;

describe('Two instances with one database', function () {
  this.timeout(60_000);
  let service: Service;
  let client: Client;
  let db: Knex;
  before(async () => {
    const url = await freshDatabase(serverUrl());
    const settings = { DATABASE_URL: url, REDIS_URL: redisUrl(), RATE_LIMIT_PRO_DAY: `${A_DAY}` };
    service = await startService(settings, 2);
    client = await Client.of(service);
    db = connect(url, REQUEST_TIMEOUTS, 2);
  });
  after(async () => {
    await disconnect(db);
    await service.stop();
  });

  it('log the requests of both, and send one mail for each level of the quota (D73, D74)', async () => {
    const { key } = await aKey(client);
    const headers = { 'X-API-Key': key };
    const statuses: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      const { url } = service.instances[n % 2] ?? expect.fail();
      statuses.push((await send(`${url}/pm/v2/news`, { headers })).status);
      // Both levels are noted by both instances, and not within one interval of the mails.
      if (n === 3) await until(1, async () => (await mails()).length);
    }
    expect(statuses).to.deep.equal([...Array(A_DAY).fill(200), 429, 429, 429]);
    await until(8, async () => Number((await db('request_log').count())[0]?.['count']));
    const logged: readonly { readonly code: string | null }[] = await db('request_log').select('code');
    expect(logged.filter(({ code }) => code === 'rate_limited')).to.have.length(3);
    await until(2, async () => (await mails()).length);
    // A mail of the other instance would come with its next interval.
    await client.line('quota_used/100');
    expect((await mails()).map((occasion) => occasion.split('/')[1]).sort()).to.deep.equal(['100', '80']);
  });

  const mails = async (): Promise<readonly string[]> => {
    const rows: readonly { readonly occasion: string }[] = await db('notice')
      .select('occasion')
      .where('occasion', 'like', 'quota_used/%');
    return rows.map(({ occasion }) => occasion);
  };
});
