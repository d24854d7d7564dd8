import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { PostgresOneTimeTokens } from '../../../src/adapters/postgres/sign-in/postgres-one-time-tokens.js';
import { PostgresSessions } from '../../../src/adapters/postgres/sign-in/postgres-sessions.js';
import type { EmailAddress } from '../../../src/domain/accounts/email-address.js';
import { DAY, HOUR, MINUTE, type Moment, SECOND } from '../../../src/domain/moment.js';
import type { ExpiringTable } from '../../../src/domain/retention.js';
import { startSession } from '../../../src/domain/sign-in/session.js';
import { linkToken, type SecretHash } from '../../../src/domain/sign-in/sign-in.js';
import { stripeEvent, stripeSubscription } from '../../support/objects/stripe-objects.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { advance, aKey, unique } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { aCustomer, seconds } from '../../support/service/processor-customer.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

/** The retention rules in docs/operations.md, each carried out by two instances whose clock is advanced. */
describe('The service deletes expired rows', function () {
  this.timeout(60_000);
  let service: Service;
  let client: Client;
  let db: Knex;
  before(async () => {
    const url = await freshDatabase(serverUrl());
    service = await startService({ DATABASE_URL: url, REDIS_URL: redisUrl() }, 2);
    client = await Client.of(service);
    db = connect(url, REQUEST_TIMEOUTS, 2);
  });
  after(async () => {
    await disconnect(db);
    await service.stop();
  });

  const rowsIn = async (table: string): Promise<number> => Number((await db(table).count())[0]?.['count']);
  const now = async () => (await client.time()) as Moment;
  /** The rows that both instances have deleted, by their metrics. */
  const deleted = async (table: ExpiringTable) => {
    const counts = service.instances.map(async ({ internalUrl }) => {
      const { text } = await send(`${internalUrl}/metrics`, {});
      return Number(
        new RegExp(`^oddswire_deleted_rows_total{table="${table}"} (\\d+)`, 'm').exec(text)?.[1] ?? 0,
      );
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };

  /** Expects that the rows are there until shortly before the given time has passed, and are gone afterwards. */
  const expectKept = async (name: ExpiringTable, table: string, rows: number, micros: number, left = 0) => {
    expect(await rowsIn(table)).to.equal(rows + left);
    const before = await deleted(name);
    await advance(client, micros / SECOND - 30);
    expect([await rowsIn(table), await deleted(name)]).to.deep.equal([rows + left, before]);
    await advance(client, 60);
    expect([await rowsIn(table), await deleted(name)]).to.deep.equal([left, before + rows]);
    await client.line(`"table":"${name}","rows":${rows}`);
  };

  it('one-time tokens when they expire', async () => {
    const hash = unique() as SecretHash;
    await new PostgresOneTimeTokens(db).keep(
      hash,
      linkToken('a@example.org' as EmailAddress, hash, await now()),
    );
    await expectKept('one_time_token', 'ticket', 1, 15 * MINUTE);
  });

  it('sessions when they end', async () => {
    const holder = { kind: 'operator', name: 'operator', by: { group: 'g' } } as const;
    await new PostgresSessions(db).start(unique() as SecretHash, startSession(holder, await now()));
    await expectKept('session', 'session', 1, HOUR);
  });

  it('usage 31 days after the beginning of its hour', async () => {
    const { key } = await aKey(client);
    // To the first second of an hour, from whose beginning the time counts.
    const time = await now();
    await advance(client, 3_600 - (Number(time.slice(14, 16)) * 60 + Number(time.slice(17, 19))));
    expect((await client.news(key)).status).to.equal(200);
    for (const table of ['usage', 'request_log']) await until(1, () => rowsIn(table));
    await expectKept('usage', 'usage', 1, 31 * DAY);
  });

  it('logged requests a day after they arrived', async () => {
    const { key } = await aKey(client);
    expect((await client.news(key)).status).to.equal(200);
    await until(1, () => rowsIn('request_log'));
    await expectKept('request_log', 'request_log', 1, DAY);
  });

  it('notices 30 days after the last attempt to send them', async () => {
    await advance(client, 40 * 86_400);
    expect(await rowsIn('notice')).to.equal(0);
    await aKey(client);
    await advance(client, 0);
    await expectKept('notice', 'notice', 1, 30 * DAY);
  });

  it('payment events 90 days after they were applied or ignored, but no waiting and no failed one', async () => {
    const customer = await aCustomer(client);
    await advance(client, 100 * 86_400);
    const at = await seconds(client);
    const subscriptionOf = (name: string, status: string) =>
      stripeEvent('customer.subscription.updated', stripeSubscription({ customer: name, status }), at);
    const events = [
      subscriptionOf(customer.customer, 'active'),
      stripeEvent('charge.refunded', { id: 'ch_1' }, at),
      subscriptionOf(`cus_${unique()}`, 'active'),
      subscriptionOf(customer.customer, 'hibernating'),
    ];
    const states = [];
    for (const event of events) states.push((await client.deliver(event)).json);
    expect(states.map((answer) => (answer as { readonly state: string }).state)).to.deep.equal([
      'applied',
      'ignored',
      'waiting',
      'failed',
    ]);
    await expectKept('payment_event', 'payment_event', 2, 90 * DAY, 2);
    expect(await db('payment_event').orderBy('state').pluck('state')).to.deep.equal(['failed', 'waiting']);
  });

  it('no audit entry, ever', async () => {
    const { account } = await aKey(client);
    const entries = () => db('audit').where({ account_id: account }).count();
    const before = await entries();
    await advance(client, 20 * 365 * 86_400);
    expect(await entries()).to.deep.equal(before);
  });
});
