import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { redisUrl } from '../../support/servers/stores.js';
import { administer } from '../../support/servers/write-faults.js';
import { aKey, ndjson, publishAll, ready } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** A publication that is not tried waits for no timeout: the first one of a statement is after 800 ms. */
const AT_ONCE_MS = 500;

const RELOAD = 'select pg_reload_conf()';

describe('Postgres that answers reads and no writes, because a synchronous standby is gone,', function () {
  this.timeout(60_000);
  let postgres: TestPostgres;
  let service: Service;
  let client: Client;
  before(async () => {
    postgres = await startTestPostgres({ durable: true });
    service = await startService({ DATABASE_URL: postgres.url, REDIS_URL: redisUrl() });
    client = await Client.of(service);
  });
  after(async () => {
    await service.stop();
    await postgres.stop();
  });

  it('cannot be written to, and serves reads, until the standby is back', async () => {
    await publishAll(client, [publication({ id: 'before' })]);
    const { key } = await aKey(client);
    await administer(postgres.url, ["alter system set synchronous_standby_names = 'nobody'", RELOAD]);
    await client.line('Postgres cannot be written to: it answers reads, and no write in time');
    expect(await ready(client)).to.deep.equal([200, 'degraded']);
    const at = performance.now();
    const refused = await client.publish(ndjson([publication({ id: 'silent' })]));
    expect(performance.now() - at).to.be.below(AT_ONCE_MS);
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([503, '1']);
    expect((await client.news(key)).status).to.equal(200);
    await administer(postgres.url, ['alter system reset synchronous_standby_names', RELOAD]);
    await client.line('Postgres accepts writes again');
    await publishAll(client, [publication({ id: 'after' })]);
    expect(await ready(client)).to.deep.equal([200, 'ready']);
  });
});
