import { expect } from 'chai';
import pg from 'pg';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { aKey, ids } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { type Instance, type Service, startService } from '../../support/service/running-service.js';

/** The idle timeout of the transaction that holds the feed's lock, plus the rest of a publication. */
const BOUND_MS = 3_500;

describe('An instance that is frozen in the middle of a publication', function () {
  this.timeout(60_000);
  let database: string;
  let admin: pg.Client;
  let service: Service;
  let client: Client;
  before(async () => {
    database = await freshDatabase(serverUrl());
    service = await startService({ DATABASE_URL: database, REDIS_URL: redisUrl() }, 2);
    client = await Client.of(service);
    admin = new pg.Client({ connectionString: database });
    await admin.connect();
    // The trigger delays this item, so that the instance can be frozen during its transaction.
    await admin.query(`
      create function sleep_a_while() returns trigger language plpgsql as
        $$ begin perform pg_sleep(0.6); return new; end $$;
      create trigger slow before insert on item for each row when (new.id = 'slow')
        execute function sleep_a_while();`);
  });
  after(async () => {
    for (const instance of service.instances) instance.process.kill('SIGCONT');
    await service.stop();
    await admin.end();
  });

  const one = (n: 0 | 1): Instance => service.instances[n] ?? expect.fail('there are two instances');
  const publish = (n: 0 | 1, id: string) =>
    send(`${one(n).internalUrl}/internal/v1/news`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${service.tokens.publisher}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(publication({ id })),
    });
  const backends = async (condition: string): Promise<number> => {
    const { rows } = await admin.query<{ n: string }>(
      `select count(*) as n from pg_stat_activity where datname = current_database() and ${condition}`,
    );
    return Number(rows[0]?.n);
  };

  it('blocks other publishers for about 2 s; its publication is rolled back and answered 503', async () => {
    const { key } = await aKey(client);
    const frozen = one(0).process;
    const interrupted = publish(0, 'slow');
    while ((await backends("wait_event = 'PgSleep'")) === 0);
    frozen.kill('SIGSTOP');
    while ((await backends("state = 'idle in transaction'")) === 0);
    const at = performance.now();
    const statuses: number[] = [];
    let answer = await publish(1, 'next');
    for (; answer.status !== 200; answer = await publish(1, 'next')) {
      statuses.push(answer.status);
      expect(answer.headers['retry-after']).to.equal('1');
    }
    const waitedMs = Math.round(performance.now() - at);
    console.log(`      published after ${waitedMs} ms and ${statuses.length} answers of 503`);
    expect(statuses.filter((status) => status !== 503)).to.deep.equal([]);
    expect(waitedMs).to.be.below(BOUND_MS);
    frozen.kill('SIGCONT');
    const late = await interrupted;
    expect([late.status, late.headers['retry-after']]).to.deep.equal([503, '1']);
    // Read-your-writes: an instance serves an item as soon as it has acknowledged it.
    expect((await publish(0, 'after')).status).to.equal(200);
    expect(ids(await send(`${one(0).url}/pm/v2/news`, { headers: { 'X-API-Key': key } }))).to.deep.equal([
      'after',
      'next',
    ]);
  });
});
