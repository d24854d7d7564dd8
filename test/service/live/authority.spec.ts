import { expect } from 'chai';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { PostgresGate } from '../../../src/adapters/postgres/keys/postgres-gate.js';
import { readStream, type StreamReader } from '../../support/live/stream-reader.js';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { actOn, advance, issue, publishAll, unique } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { ask, bearer, composed, keyHolder } from '../../support/service/composed.js';
import { aCustomer } from '../../support/service/processor-customer.js';
import { type Service, serviceOf, startService } from '../../support/service/running-service.js';

/** The bound of D39, from the answer to a change until the streams of both instances end. */
const MOST_MS = 1_000;
const ABUSE_NETWORKS = 5;
const GRACE_SECONDS = 300;
const BUILDER_STREAMS = 5;

type Customer = Awaited<ReturnType<typeof aCustomer>>;

type Case = {
  readonly name: string;
  /** Resolves when the service has answered. */
  readonly change: (customer: Customer, client: Client) => Promise<unknown>;
  readonly problem: { readonly status: number; readonly code: string };
};

const REVOKED = { status: 401, code: 'key_revoked' };
const SUSPENDED = { status: 402, code: 'key_suspended' };

const CASES: readonly Case[] = [
  {
    name: 'a revocation',
    change: ({ key }, client) => actOn(client, key.key_id, 'revoke', { cause: 'manual' }),
    problem: REVOKED,
  },
  {
    name: 'a hold on the key',
    change: ({ key }, client) => actOn(client, key.key_id, 'hold', { reason: 'test' }),
    problem: SUSPENDED,
  },
  {
    name: 'a hold on the subscription',
    change: ({ account }, client) =>
      client.operate('POST', `/internal/v1/accounts/${account}/hold`, { reason: 'test' }),
    problem: SUSPENDED,
  },
  {
    name: 'abuse',
    change: async ({ key }, client) => {
      for (let n = 0; n <= 2 * ABUSE_NETWORKS; n += 1)
        await client.news(key.key, '?limit=1', { 'X-Forwarded-For': `10.0.${n}.7` });
      await advance(client, 0); // Counts the signals so far.
    },
    problem: SUSPENDED,
  },
  { name: 'a cancellation', change: ({ tells }) => tells('canceled'), problem: REVOKED },
  {
    name: 'the end of dunning without a payment',
    change: ({ fails }) => fails(5, `in_${unique()}`),
    problem: SUSPENDED,
  },
];

/** D52: streams end when the access of their key ends. */
describe('The streams of a key on two instances', function () {
  this.timeout(60_000);
  let service: Service;
  let client: Client;
  before(async () => {
    const settings = {
      DATABASE_URL: await freshDatabase(serverUrl()),
      REDIS_URL: redisUrl(),
      TRUSTED_PROXY_HOPS: '1',
      ABUSE_NETWORKS: String(ABUSE_NETWORKS),
    };
    service = await startService(settings, 2);
    // Of the first instance only: a client of both waits until every message has arrived.
    client = await Client.of(serviceOf(service.instances[0] ?? expect.fail('there are two instances')));
  });
  after(() => service.stop());

  const streamsOf = (key: string) => Promise.all(service.instances.map(({ url }) => readStream(url, key)));
  /** The milliseconds until each stream is closed. */
  const closedAfter = (streams: readonly StreamReader[], from: number) =>
    Promise.all(
      streams.map(({ closed }) => closed.then(() => Math.max(0, Math.round(performance.now() - from)))),
    );
  const closingOf = async (stream: StreamReader) => {
    const { problem, retry_after_seconds: retry } = await stream.message('closing');
    return [problem?.status, problem?.code, retry];
  };

  for (const { name, change, problem } of CASES) {
    it(`end within ${MOST_MS} ms after ${name}, and are not to be opened again (D39)`, async () => {
      const customer = await aCustomer(client);
      await customer.tells('active');
      const streams = await streamsOf(customer.key.key);
      const closed = streams.map(({ closed: when }) => when.then(() => performance.now()));
      await change(customer, client);
      const from = performance.now();
      const millis = (await Promise.all(closed)).map((at) => Math.max(0, Math.round(at - from)));
      console.log(`      ended ${millis.join(' and ')} ms after the answer`);
      const { status, code } = problem;
      expect(await Promise.all(streams.map(closingOf))).to.deep.equal(
        streams.map(() => [status, code, null]),
      );
      for (const each of millis) expect(each).to.be.at.most(MOST_MS);
    });
  }

  it('go on during the grace window of a rotated key, and end with it', async () => {
    const { key, account } = await aCustomer(client);
    const streams = await streamsOf(key.key);
    await issue(client, account);
    expect((await actOn(client, key.key_id, 'revoke', { cause: 'rotation' })).status).to.equal(200);
    await advance(client, GRACE_SECONDS - 30);
    await publishAll(client, [publication({ id: unique() })]);
    await Promise.all(streams.map((stream) => stream.items(1)));
    expect(streams.map((stream) => stream.isClosed())).to.deep.equal([false, false]);
    await advance(client, 30);
    const millis = await closedAfter(streams, performance.now());
    console.log(`      ended ${millis.join(' and ')} ms after the answer`);
    expect(await Promise.all(streams.map(closingOf))).to.deep.equal(
      streams.map(() => [REVOKED.status, REVOKED.code, null]),
    );
    for (const each of millis) expect(each).to.be.at.most(MOST_MS);
  });

  it('end beyond a smaller plan, the newest first', async () => {
    // One event only: of two events of the same second, either may be the newer one.
    const { key, tells } = await aCustomer(client);
    const streams: StreamReader[] = [];
    for (let n = 0; n < BUILDER_STREAMS + 2; n += 1)
      streams.push(await readStream(service.instances[n % 2]?.url ?? '', key.key));
    await tells('active', { lookupKey: 'builder' });
    const newest = streams.slice(BUILDER_STREAMS);
    const millis = await closedAfter(newest, performance.now());
    console.log(`      ended ${millis.join(' and ')} ms after the answer`);
    expect(await Promise.all(newest.map(closingOf))).to.deep.equal(
      newest.map(() => [429, 'too_many_streams', 30]),
    );
    await publishAll(client, [publication({ id: unique() })]);
    const others = streams.slice(0, BUILDER_STREAMS);
    await Promise.all(others.map((stream) => stream.items(1)));
    expect(others.map((stream) => stream.isClosed())).to.deep.equal(others.map(() => false));
    for (const each of millis) expect(each).to.be.at.most(MOST_MS);
    for (const stream of others) stream.close();
  });
});

describe('The stream of a key of which the process has no copy any more', () => {
  it('ends when the key is revoked', async function () {
    this.timeout(30_000);
    const url = await freshDatabase(serverUrl());
    const db = connect(url, REQUEST_TIMEOUTS, 2);
    // Like a cache that has evicted the key: each look-up reads the database.
    const service = await composed({ DATABASE_URL: url, REDIS_URL: redisUrl() }, () => ({
      gate: () => new PostgresGate(db),
    }));
    const { key, value } = await keyHolder(service);
    const stream = await readStream(service.url, value);
    await stream.message('ready');
    await ask(`${service.internalUrl}/internal/v1/keys/${key.id}/revoke`, {
      method: 'POST',
      headers: { ...bearer('operator-token-of-the-tests'), 'Content-Type': 'application/json' },
      body: '{"cause":"manual"}',
    });
    const { problem, retry_after_seconds: retry } = await stream.message('closing');
    expect([problem?.code, retry]).to.deep.equal(['key_revoked', null]);
    await service.stop();
    await disconnect(db);
  });
});
