import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { serverUrl } from '../../support/servers/stores.js';
import type { KeyView } from '../../support/service/api-calls.js';
import { send } from '../../support/service/client.js';
import {
  type Instance,
  launchInstance,
  type Service,
  serviceOf,
} from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

/**
 * Two instances on one database whose messages do not reach each other: one sends them over Redis, the other one receives
 * them from Postgres. Only the change log tells an instance of a change by the other one (D39).
 */
describe('An instance that gets no messages of another one', function () {
  this.timeout(60_000);
  let redis: TestRedis;
  let db: Knex;
  let service: Service;
  beforeEach(async () => {
    redis = await startTestRedis();
    const DATABASE_URL = await freshDatabase(serverUrl());
    const settings = [{ DATABASE_URL }, { DATABASE_URL, REDIS_URL: redis.url }];
    service = serviceOf(...(await Promise.all(settings.map((each) => launchInstance(each).listening))));
    db = connect(DATABASE_URL, LONG_TIMEOUTS, 1);
  });
  afterEach(async () => {
    await disconnect(db);
    await redis.stop();
  });

  const one = (n: 0 | 1): Instance => service.instances[n] ?? expect.fail('there are two instances');
  const status = async ({ key }: KeyView) =>
    (await send(`${one(0).url}/pm/v2/news?limit=1`, { headers: { 'X-API-Key': key } })).status;
  /** Without `Client`, which waits until each message has reached all instances. */
  const operate = async <Answer>(n: 0 | 1, path: string, body: object): Promise<Answer> => {
    const reply = await send(`${one(n).internalUrl}/internal/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.tokens.operator}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(reply.status).to.be.within(200, 201);
    return JSON.parse(reply.text) as Answer;
  };
  let holders = 0;
  const usedKey = async (): Promise<KeyView> => {
    holders += 1;
    const opening = { email: `holder${holders}@example.org`, plan: 'pro' };
    const { account_id } = await operate<{ readonly account_id: string }>(0, '/accounts', opening);
    const key = await operate<KeyView>(0, `/accounts/${account_id}/keys`, {});
    expect(await status(key)).to.equal(200);
    return key;
  };
  const revokeOnTheOther = ({ key_id }: KeyView) => operate(1, `/keys/${key_id}/revoke`, { cause: 'manual' });

  /** A key that the first instance has used, and that the other one revoked. */
  const revokedKey = async (): Promise<KeyView> => {
    const key = await usedKey();
    await revokeOnTheOther(key);
    await until(401, () => status(key));
    return key;
  };
  const metrics = async (): Promise<string> => {
    const headers = { Authorization: `Bearer ${service.tokens.operator}` };
    return (await send(`${one(0).internalUrl}/metrics`, { headers })).text;
  };

  it('refuses a key that the other one revoked, because the change was logged', async () => {
    await revokedKey();
    await service.stop();
  });

  it('finds that the log misses a change if the triggers are gone, and reports the bug', async () => {
    await db.raw('drop trigger account_logged on account; drop trigger api_key_logged on api_key');
    let key = await revokedKey();
    // While the log cannot be read, copies are looked up again without being compared.
    while (!/^oddswire_copy_divergences_total 1$/m.test(await metrics())) key = await revokedKey();
    const line = JSON.parse(await one(0).line('no change was logged')) as object;
    expect(line).to.include({ level: 50, key: key.key_id });
    const faults = await Promise.allSettled(service.instances.map((instance) => instance.stop()));
    // Every test fails like that if a change is not logged.
    expect(faults.map(({ status: how }) => how)).to.deep.equal(['rejected', 'fulfilled']);
  });
});
